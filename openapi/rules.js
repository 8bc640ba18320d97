// Rules for openapi.json that no linter brings along.

const VERB_AND_NOUN = /^[a-z]+([A-Z][a-z]+)*$/;

/** Whether an operation refuses a key that came before with another body. */
const keyed = (operation, method) =>
  method === "post" && Boolean(operation.responses?.["422"]);

const named = (operation, name, { resolve }) =>
  (operation.parameters ?? []).some((one) => (resolve(one).node ?? one).name === name);

/** Whether a path is that of sessions, or below it. */
const ofSessions = ({ PathItem }) => /~1sessions\b/.test(PathItem.pointer);

/** Whether a path is below one session. */
const ofASession = ({ PathItem }) => decodeURIComponent(PathItem.pointer).includes("{session_id}");

/** Clients call operations by this name: it says what is done, and no path or version. */
const stableOperationId = () => ({
  Operation(operation, { report, location }) {
    if (!VERB_AND_NOUN.test(operation.operationId ?? "")) {
      report({ message: "An operationId is a verb and a noun in camelCase.", location: location.child("operationId") });
    }
  },
});

/** Every body that is sent or answered is shown, and every problem code that a refusal may have. */
const examples = () => ({
  MediaType(media, { report }) {
    if (!media.example && !Object.keys(media.examples ?? {}).length) {
      report({ message: "A body without an example." });
    }
  },
});

/** A key can be used up, and only one that is taken. */
const idempotency = () => ({
  Operation(operation, context) {
    const takesKey = named(operation, "Idempotency-Key", context);
    if (takesKey !== keyed(operation, context.key)) {
      context.report({ message: "What takes an Idempotency-Key may answer 422, nothing else does." });
    }
    const answer = Object.entries(operation.responses ?? {}).find(([status]) => status.startsWith("2"))?.[1];
    if (takesKey && !answer?.headers?.["Idempotency-Replayed"]) {
      context.report({ message: "The answer to a retry says Idempotency-Replayed." });
    }
  },
});

/** Two writers: the answer has the version, and the refusal of a stale one is shown. */
const versionGuard = () => ({
  PathItem: {
    Operation(operation, { key, report, parentLocations }) {
      if (!keyed(operation, key) || !ofSessions(parentLocations)) return;
      const answer = operation.responses["200"] ?? operation.responses["201"];
      if (!answer?.headers?.ETag) report({ message: "The answer to a change has an ETag." });
      const shown = operation.responses["409"]?.content?.["application/problem+json"]?.examples ?? {};
      if (ofASession(parentLocations) && !shown["stale-version"]) {
        report({ message: "A change may be refused for a stale version: show it." });
      }
    },
  },
});

/** From every answer about a session one can go on. */
const links = () => ({
  PathItem: {
    Operation(operation, { report, parentLocations }) {
      if (!ofSessions(parentLocations)) return;
      const answers = Object.values(operation.responses ?? {});
      if (!answers.some((one) => Object.keys(one.links ?? {}).length)) report({ message: "No link leads on." });
    },
  },
});

/** A union of objects names the property that tells its branches apart, and each branch requires it. */
const toldApart = () => ({
  Schema(schema, { report, resolve }) {
    const branches = (schema.oneOf ?? []).map((one) => resolve(one).node ?? one);
    if (!branches.length) return;
    const tag = schema.discriminator?.propertyName;
    if (!tag || !branches.every((one) => one.required?.includes(tag) && one.properties?.[tag])) {
      report({ message: "The branches of a oneOf are told apart by a required property." });
    }
  },
});

export default () => ({
  id: "croupier",
  rules: {
    oas3: {
      "stable-operation-id": stableOperationId,
      examples,
      idempotency,
      "version-guard": versionGuard,
      links,
      "told-apart": toldApart,
    },
  },
});
