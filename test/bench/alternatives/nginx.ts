/**
 * nginx with `gzip_static`: answers that were compressed before, handed out as files by what is made for it. No token is
 * judged and nothing is chosen: the upper limit.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { Measured } from '../http/processes.ts'

export interface Nginx extends Measured {
  /** Puts up a gzip body and gives the target at which it is answered. */
  add(name: string, gzip: Uint8Array): string
}

/** The way out where it is missing. */
export const NO_NGINX = 'nginx is not installed, so its lines are left out; on Debian: apt-get install nginx-light'

export const haveNginx = (): boolean => spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0

/** One process, as the gateway is one: it listens and answers by itself, without a master. */
const configuration = (folder: string, port: number): string => `
daemon off;
master_process off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log ${folder}/access.log combined buffer=64k flush=1s;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  default_type application/json;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  open_file_cache max=20000 inactive=1h;
  open_file_cache_valid 1h;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    gzip_static on;
    gzip_vary on;
    etag on;
    add_header Cache-Control "private, no-cache";
    add_header X-Content-Type-Options nosniff;
  }
}
`

/** @throws Error when it does not start */
export async function startNginx(folder: string): Promise<Nginx> {
  const files = join(folder, 'files')
  mkdirSync(files, { recursive: true })
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder, port))
  const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  while (!(await answers(port))) if (child.exitCode !== null) throw new Error(`nginx did not start: ${said.trim()}`)
  return {
    port,
    pid: child.pid!,
    add(name, gzip) {
      writeFileSync(join(files, `${name}.json.gz`), gzip)
      return `/${name}.json`
    },
    stop: () => stop(child),
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

/** A port that was free a moment ago: nginx cannot choose one and tell. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    const end = (answered: boolean) => {
      socket.destroy()
      setTimeout(resolve, answered ? 0 : 50, answered)
    }
    socket.on('connect', () => end(true))
    socket.on('error', () => end(false))
  })
}
