/**
 * While only this machine is served, a call may name loopback addresses. A call that came through a proxy or under
 * another host name may not, because somebody elsewhere may have made it.
 */
import type { FastifyRequest } from "fastify";
import { isLoopbackUrl, withoutLoopback } from "../lib/outbound/net-guard.ts";
import type { TargetGuard } from "../setup/sources.ts";
import type { ApiDeps } from "./api.ts";

const PROXY_HEADER = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/;

export function targetGuard({ allow, lookup }: ApiDeps, { headers }: FastifyRequest): TargetGuard {
  const isProxied = Object.keys(headers).some((name) => PROXY_HEADER.test(name));
  const isFromHere = !isProxied && isLoopbackUrl(`http://${headers.host ?? ""}/`);
  return { allow: isFromHere ? allow : withoutLoopback(allow), ...(lookup && { lookup }) };
}
