/** The texts of the form of a destination. Its help is for people who have never used such a server. */
import type { FileFormat } from "../../../src/contract/destinations.ts";

type FieldText = { readonly label: string; readonly help: string };

const SETTINGS: Readonly<Record<string, FieldText>> = {
  host: {
    label: "Server",
    help: "The name of the server, as its operator told you, such as sftp.example.com. Without “sftp://” in front.",
  },
  port: { label: "Port", help: "22 unless the operator named another number." },
  user: { label: "User name", help: "The name that the operator gave you to log in with." },
  password: { label: "Password", help: "Stored encrypted, and never shown again." },
  private_key: {
    label: "Private key",
    help: "The whole content of the key file, from “-----BEGIN” to “-----END”. It is the file without “.pub”; the one with “.pub” goes to the operator. Stored encrypted, and never shown again.",
  },
  passphrase: {
    label: "Passphrase of the key",
    help: "Only if you chose one when the key was made. Stored encrypted.",
  },
  path: {
    label: "Folder",
    help: "Where the files go on the server. Leave it empty unless the operator named a folder. It must exist.",
  },
  host_key: {
    label: "Confirmed key of the server",
    help: "Filled in when you confirm the key after a test. You can also paste it, if the operator sent it as text: ssh-ed25519 SHA256:…",
  },
  url: {
    label: "Address",
    help: "Where the file is sent, beginning with https://. {file} stands for the name of the file.",
  },
  method: {
    label: "Method",
    help: "How the receiver wants the file. PUT unless its documentation says POST.",
  },
  headers: {
    label: "Headers",
    help: "What the receiver asks for as proof of who you are, one a line, such as: Authorization: Bearer abc123. Stored encrypted, and never shown again.",
  },
  feed_id: { label: "Feed id", help: "The id of your feed, as the agent’s operator assigned it." },
  target_country: {
    label: "Country",
    help: "The country that the feed is for, as two letters, such as US.",
  },
};

/** The files by channel: what is in them, then how they are written. */
const FORMATS: Readonly<Record<string, Partial<Readonly<Record<FileFormat, string>>>>> = {
  "For OpenAI": {
    "acp.csv.gz": "CSV, compressed (acp.csv.gz)",
    "acp.tsv.gz": "Tab-separated, compressed (acp.tsv.gz)",
    "acp.jsonl.gz": "JSON lines, compressed (acp.jsonl.gz)",
    "acp.csv": "CSV (acp.csv)",
    "acp.tsv": "Tab-separated (acp.tsv)",
    "acp.jsonl": "JSON lines (acp.jsonl)",
    "acp.json": "One JSON document (acp.json)",
  },
  "For agents with a feed API": {
    "acp-feed": "Products with variants (metadata.json and products.jsonl)",
  },
  "For Google and services that take its format": {
    "gmc.tsv.gz": "Tab-separated, compressed (gmc.tsv.gz)",
    "gmc.tsv": "Tab-separated (gmc.tsv)",
  },
  "For your own pages": { "jsonld.json": "schema.org markup (jsonld.json)" },
};

export const destinationForm = {
  connection: "Connection",
  content: "What is sent, and when",
  login: "How do you log in?",
  logins: { password: "With a password", key: "With a private key" },
  keyFile: "Or choose the key file",
  keyFileHelp: "Often named id_ed25519 or id_rsa. The browser reads it into the field above.",
  format: "File",
  formatHelp: "OpenAI takes CSV, tab-separated or JSON lines, compressed. Others say in their documentation.",
  schedule: "When",
  schedules: {
    publication: "After every publication with a change, and once a day without one",
    daily: "Once a day",
  },
  more: "More settings",
  test: "Test the connection",
  testing: "Testing…",
  save: "Save the destination",
  saveChanges: "Save the changes",
  hints: {
    sftp: "The test shows the key of the server for you to confirm, then logs in and writes and removes an empty file.",
    https:
      "The test connects and asks the address without sending a file. Only a delivery shows whether it takes the files.",
  },
  settings: SETTINGS,
  formats: FORMATS,
} as const;
