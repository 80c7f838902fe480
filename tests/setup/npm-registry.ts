/**
 * An npm registry on this machine: it has the given tarballs, and every package of this clone's lockfile, packed from
 * `node_modules` when asked for. So `npm install` and `npx` do what they would do for a user, without the network.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Held {
  readonly name: string
  readonly version: string
  readonly manifest: object
  /** Sends its tarball; false: this machine does not have it. */
  send(response: ServerResponse): boolean
}

export interface NpmRegistry {
  readonly url: string
  close(): Promise<void>
}

export async function startNpmRegistry(
  own: readonly { readonly tarball: string; readonly manifest: { readonly name: string; readonly version: string } }[],
): Promise<NpmRegistry> {
  const held = [...own.map(fromTarball), ...listLocked()]
  const server = createServer((request, response) => {
    const [, name = '', version] =
      decodeURIComponent(request.url ?? '').match(/^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/) ?? []
    const versions = held.filter((one) => one.name === name)
    const wanted = versions.find((one) => one.version === version)
    if (version === undefined && versions.length > 0) sendPackument(response, versions, urlOf())
    else if (wanted?.send(response) !== true) response.writeHead(404).end('{}')
  })
  const urlOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: urlOf(),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function sendPackument(response: ServerResponse, versions: readonly Held[], url: string): void {
  const [{ name, version: latest } = { name: '', version: '' }] = versions
  const entries = versions.map(({ version, manifest }) => [
    version,
    { ...manifest, name, version, dist: { tarball: `${url}/${name}/-/${version}.tgz` } },
  ])
  const body = { name, 'dist-tags': { latest }, versions: Object.fromEntries(entries) }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function fromTarball({ tarball, manifest }: Parameters<typeof startNpmRegistry>[0][number]): Held {
  const send = (response: ServerResponse) => {
    createReadStream(tarball).pipe(response)
    return true
  }
  return { name: manifest.name, version: manifest.version, manifest, send }
}

/** What the lockfile says about a package is what npm needs to know about it. */
function listLocked(): readonly Held[] {
  const lock: { readonly packages: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>> } =
    JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.entries(lock.packages).flatMap(([place, manifest]) => {
    const name = place.split('node_modules/').at(-1) ?? ''
    if (!place.includes('node_modules/') || manifest.link === true || manifest.version === undefined) return []
    return [{ name, version: manifest.version, manifest, send: (response) => sendFolder(join(ROOT, place), response) }]
  })
}

/** npm leaves out the first part of every path, whatever it is called. */
function sendFolder(folder: string, response: ServerResponse): boolean {
  if (!existsSync(folder)) return false
  const args = ['-cf', '-', '--exclude=node_modules', '-C', dirname(folder), basename(folder)]
  spawn('tar', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.pipe(response)
  return true
}
