/**
 * A name server on loopback that knows the names it is given, answers NXDOMAIN for all others, and can be
 * silent or broken about some. Speaks DNS over UDP, as much of it as a resolver needs (RFC 1035).
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIPv4 } from "node:net";

/**
 * Addresses, or how it behaves when it is asked: never answers, answers with a failure, or answers with an invalid
 * packet. With `only` it has that address, and never answers for the other kind; with `after` it takes so many
 * milliseconds.
 */
export type NameRecord =
  | readonly string[]
  | "silent"
  | "broken"
  | "nonsense"
  | { readonly only: string }
  | { readonly after: number; readonly addresses: readonly string[] };

export type NameServer = AsyncDisposable & {
  /** In the form that resolvers accept. */
  readonly address: string;
  /** The names of all queries, in order. */
  readonly asked: readonly string[];
};

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_ERROR = 0;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;
const HEAD_BYTES = 12;

export async function nameServer(records: Readonly<Record<string, NameRecord>>): Promise<NameServer> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, from) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const record = records[name];
    if (isSilent(record, type)) return;
    if (record === "nonsense") {
      socket.send(query.subarray(0, HEAD_BYTES + 3), from.port, from.address);
      return;
    }
    const addresses = addressesOf(record).filter((address) => isIPv4(address) === (type === TYPE_A));
    const status = record === "broken" ? SERVER_FAILURE : record === undefined ? NO_SUCH_NAME : NO_ERROR;
    const bytes = answer(query.subarray(0, end), status, addresses);
    const send = () => socket.send(bytes, from.port, from.address);
    if (isObject(record) && "after" in record) setTimeout(send, record.after);
    else send();
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      const closed = once(socket, "close");
      socket.close();
      await closed;
    },
  };
}

function isObject(
  record: NameRecord | undefined,
): record is Extract<NameRecord, { only: string } | { after: number }> {
  return typeof record === "object" && !Array.isArray(record);
}

function isSilent(record: NameRecord | undefined, type: number): boolean {
  if (isObject(record) && "only" in record) return isIPv4(record.only) !== (type === TYPE_A);
  return record === "silent";
}

function addressesOf(record: NameRecord | undefined): readonly string[] {
  if (record === undefined || typeof record === "string") return [];
  if (!isObject(record)) return record;
  return "only" in record ? [record.only] : record.addresses;
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** The question again, followed by one record for each address. */
function answer(question: Buffer, status: number, addresses: readonly string[]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | status, 2);
  head.writeUInt16BE(addresses.length, 6);
  // Nothing after the question is repeated.
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, ...addresses.map(recordOf)]);
}

function recordOf(address: string): Buffer {
  const bytes = isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(HEAD_BYTES);
  // The name is the question's.
  head.writeUInt16BE(0xc000 | HEAD_BYTES, 0);
  head.writeUInt16BE(isIPv4(address) ? TYPE_A : TYPE_AAAA, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}

/** Written out, without `::`. */
function ipv6Bytes(address: string): Buffer {
  return Buffer.from(
    address.split(":").flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]),
  );
}
