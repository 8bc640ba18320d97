"""The command line: ``croupier serve`` and its siblings."""

import inspect
import json
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from croupier import __version__
from croupier.cli import keys, odds
from croupier.cli.bots import bot
from croupier.cli.doctor import doctor
from croupier.cli.play import play
from croupier.cli.replay import replay_files
from croupier.cli.verify import verify
from croupier.settings import Settings, WrongSetting, default, read, secret, variable

app = typer.Typer(
    help="Deals Casino Hold'em, Ultimate Texas Hold'em and No-Limit Texas Hold'em over HTTP.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def main() -> None:
    """Run the command line."""
    app()


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"croupier {__version__}")
        raise typer.Exit


@app.callback()
def _croupier(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def _serve(**flags: str | bool | None) -> None:
    """Run the server."""
    try:
        settings = read({name: value for name, value in flags.items() if value is not None})
    except WrongSetting as wrong:
        typer.echo(f"croupier: {wrong}", err=True)
        raise typer.Exit(2) from None
    # The whole application is loaded here, which the other commands and their help need not wait for.
    from croupier.cli.serve import CannotServe, serve  # noqa: PLC0415

    try:
        code = serve(settings)
    except (CannotServe, WrongSetting) as reason:
        typer.echo(f"croupier: {reason}", err=True)
        raise typer.Exit(2 if isinstance(reason, WrongSetting) else 1) from None
    raise typer.Exit(code)


def _signature() -> inspect.Signature:
    """One flag for every setting that may stand on a command line."""
    return inspect.Signature(
        [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[
                    bool | None if info.annotation is bool else str | None,
                    _flag(name, info.description or ""),
                ],
            )
            for name, info in Settings.model_fields.items()
            if not secret(name)
        ]
    )


def _flag(name: str, description: str) -> Any:
    dashed = name.replace("_", "-")
    switch = Settings.model_fields[name].annotation is bool
    return typer.Option(
        f"--{dashed}/--no-{dashed}" if switch else f"--{dashed}",
        help=f"{description} {_origin(name)}",
        metavar=None if switch else _shape(name),
        show_default=False,
    )


def _shape(name: str) -> str:
    """What goes behind a flag: the words to choose from, or what kind of value it is."""
    kind = Settings.model_fields[name].annotation
    if get_origin(kind) is Literal:
        return "|".join(get_args(kind))
    return (
        {int: "N", float: "SECONDS", Path: "FOLDER"}.get(kind, "TEXT") if isinstance(kind, type) else "LIST"
    )


def _origin(name: str) -> str:
    return f"[{variable(name)}; {default(name) or 'none'}]"


def _secrets() -> str:
    """The settings that are read from the environment alone, each a paragraph that keeps its lines."""
    return "Only from the environment:\n\n" + "\n\n".join(
        f"{info.description} {_origin(name)}" for name, info in Settings.model_fields.items() if secret(name)
    )


_serve.__signature__ = _signature()  # type: ignore[attr-defined]
app.command("serve", epilog=_secrets())(_serve)
app.command("play")(play)
app.command("bot")(bot)
app.command("doctor")(doctor)
app.command("replay")(replay_files)
app.command("verify")(verify)
app.add_typer(keys.app, name="keys")
app.add_typer(odds.app, name="odds")


@app.command("openapi")
def _openapi(
    path: Annotated[Path, typer.Argument(help="The file to write, or with --check to compare.")],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with 1 if the file is not up to date.")
    ] = False,
) -> None:
    """Write the OpenAPI document."""
    from croupier.api.openapi import document  # noqa: PLC0415

    text = json.dumps(document(), ensure_ascii=False, indent=2) + "\n"
    if not check:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        typer.echo(f"croupier: {path} is not what the code says; run: croupier openapi {path}", err=True)
        raise typer.Exit(1)
