/** nginx with `gzip_static`: compressed answers as files, the upper limit. It checks no token and selects nothing. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNginx as start } from '../../support/nginx.ts'
import type { Measured } from '../http/processes.ts'

export { haveNginx } from '../../support/nginx.ts'

export interface Nginx extends Measured {
  /** Stores a gzip body and returns its target. */
  add(name: string, gzip: Uint8Array): string
}

export const NO_NGINX = 'nginx is not installed, so its lines are left out; on Debian: apt-get install nginx-light'

/** One process, like the gateway. */
const http = (folder: string, port: number): string => `
  access_log ${folder}/access.log combined buffer=64k flush=1s;
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
`

/** @throws Error if it does not start */
export async function startNginx(folder: string): Promise<Nginx> {
  const files = join(folder, 'files')
  mkdirSync(files, { recursive: true })
  return {
    ...(await start(folder, (port) => http(folder, port))),
    add(name, gzip) {
      writeFileSync(join(files, `${name}.json.gz`), gzip)
      return `/${name}.json`
    },
  }
}
