"""What the server's settings say about sessions."""

from dataclasses import dataclass

from croupier.rules.game import Meter


@dataclass(frozen=True, slots=True)
class Policy:
    """What the server's settings say about sessions; times in seconds."""

    allow_sandbox: bool = False
    idle_seconds: int = 30 * 86_400
    retention_seconds: int = 90 * 86_400
    progressive_stake: int = 1
    progressive_contribution: int = 5
    progressive_seed_amount: int = 1000

    def meter(self, hundredths: int | None) -> Meter:
        """An operator's progressive meter at *hundredths* of a unit; None: never touched, as it is seeded."""
        return Meter(
            self.progressive_seed_amount * 100 if hundredths is None else hundredths,
            self.progressive_contribution,
            self.progressive_seed_amount,
            self.progressive_stake,
        )
