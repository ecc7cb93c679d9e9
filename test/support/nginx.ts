/** Runs nginx on a free port, as the current user, without a master process. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort } from './listening.ts'

export interface Nginx {
  port: number
  pid: number
  stop(): Promise<void>
}

export const haveNginx = (): boolean => spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0

const configuration = (folder: string, http: string): string => `
daemon off;
master_process off;
${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  ${http}
}
`

/**
 * Starts nginx. `http` returns the content of the `http` block for a port; nginx writes its files to `folder`.
 * @throws Error if it does not start
 */
export async function startNginx(folder: string, http: (port: number) => string): Promise<Nginx> {
  mkdirSync(folder, { recursive: true })
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration(folder, http(port)))
  const child = spawn('nginx', ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  while (!(await answers(port))) if (child.exitCode !== null) throw new Error(`nginx did not start: ${said.trim()}`)
  return { port, pid: child.pid!, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
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
