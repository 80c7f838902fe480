/** A real HAProxy or nginx in front of nodes, with the file that deploy/ ships: only names, ports and certificate differ. */
import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findFreePort } from '../../packages/dev/src/free-port.ts'
import { eventually } from './eventually.ts'

export type ProxyProgram = 'haproxy' | 'nginx'

export interface RunningProxy {
  readonly port: number
  /** The authority of its certificate, in PEM. */
  readonly ca: string
  stop(): Promise<void>
}

const DEPLOY = fileURLToPath(new URL('../../deploy/proxy/', import.meta.url))

export async function startProxy(program: ProxyProgram, nodePorts: readonly [number, number]): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-proxy-'))
  await chmod(folder, 0o755)
  const port = await findFreePort()
  const [key, certificate] = [join(folder, 'drover.key'), join(folder, 'drover.pem')]
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate],
  ])
  const ca = await readFile(certificate, 'utf8')
  const config = join(folder, 'proxy.conf')
  const file = program === 'haproxy' ? 'haproxy.cfg' : 'nginx.conf'
  const shipped = (await readFile(`${DEPLOY}${file}`, 'utf8'))
    .replace('drover-1:4747', `127.0.0.1:${nodePorts[0]}`)
    .replace('drover-2:4747', `127.0.0.1:${nodePorts[1]}`)
    .replaceAll(`/etc/${program}/`, `${folder}/`)
  if (program === 'haproxy') {
    // HAProxy reads certificate and key from one file.
    await writeFile(certificate, `${ca}${await readFile(key, 'utf8')}`)
    await writeFile(config, shipped.replace('bind :443', `bind 127.0.0.1:${port}`))
  } else await writeFile(config, wrapNginx(folder, shipped.replace('listen 443', `listen 127.0.0.1:${port}`)))
  const args = program === 'haproxy' ? ['-db', '-f', config] : ['-c', config, '-e', join(folder, 'error.log')]
  const child = spawn(program, args, { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await eventually(() => isReady(port, ca), Boolean)
  return {
    port,
    ca,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

/** What Debian's nginx.conf has around the files in conf.d. */
function wrapNginx(folder: string, server: string): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  return `daemon off; pid ${folder}/pid; events {}\nhttp { access_log off; ${places.join(' ')}\n${server}\n}\n`
}

function isReady(port: number, ca: string): Promise<boolean> {
  const agent = new Agent({ ca })
  return new Promise((resolve) => {
    get({ host: 'localhost', port, path: '/readyz', agent }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).once('error', () => resolve(false))
  })
}
