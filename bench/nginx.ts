/** nginx from Debian, unpacked into a temporary folder, not installed. Undefined where that is not possible. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, readdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { FileServer } from "./bare-server.ts";
import { freePort } from "./program.ts";

const DOWNLOAD_MS = 60_000;
const run = promisify(execFile);

/** Serves the folder of `file`. `dir` is for its program and its files. */
export async function startNginx(file: string, dir: string): Promise<FileServer | undefined> {
  const program = await findProgram(dir);
  if (program === undefined) return undefined;
  const port = await freePort();
  const config = join(dir, "nginx.conf");
  await writeFile(config, configText({ dir, port, root: dirname(file) }));
  const server = spawn(program, ["-p", dir, "-c", config, "-e", join(dir, "error.log")], { stdio: "ignore" });
  while (!(await accepts(port))) {
    if (server.exitCode !== null) return undefined;
    await delay(20);
  }
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.kill("SIGQUIT");
      server.kill("SIGTERM");
      await once(server, "exit");
    },
  };
}

/** As Debian has it, without a log. */
const configText = ({ dir, port, root }: { dir: string; port: number; root: string }): string => `
${process.getuid?.() === 0 ? "user root;" : ""}
daemon off;
worker_processes auto;
pid ${dir}/nginx.pid;
events { worker_connections 1024; }
http {
  sendfile on;
  tcp_nopush on;
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
  server {
    listen 127.0.0.1:${port};
    root ${root};
    add_header cache-control "public, max-age=60, must-revalidate";
  }
}
`;

async function findProgram(dir: string): Promise<string | undefined> {
  const installed = "/usr/sbin/nginx";
  if (
    await access(installed).then(
      () => true,
      () => false,
    )
  )
    return installed;
  const options = { cwd: dir, timeout: DOWNLOAD_MS };
  try {
    await run("apt-get", ["download", "nginx"], options);
    const [archive = ""] = (await readdir(dir)).filter((name) => name.endsWith(".deb"));
    await run("dpkg", ["-x", archive, dir], options);
    const program = join(dir, "usr/sbin/nginx");
    await run(program, ["-v"], options);
    return program;
  } catch {
    return undefined;
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
