/** A shell in which the commands of a guide are pasted, in order. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startCli } from '../setup/cli-terminal.ts'
import type { CommandBlock } from './read-commands.ts'

export interface GuideShell {
  /** Pastes the blocks into one shell, in a folder of their own; fails, with the place, at the first command that does. */
  paste(blocks: readonly CommandBlock[], more?: Readonly<Record<string, string>>): Promise<string>
  close(): Promise<void>
}

export interface GuideShellOptions {
  /** Settings and variables that the guides use. */
  readonly env: Readonly<Record<string, string>>
  /** Files that the guides name but do not write. */
  readonly files: Readonly<Record<string, string>>
  /** Where the service is; the guides name its usual port. */
  readonly url: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** A command that waits for something that will never happen; far beyond what a slow machine needs. */
export const STUCK_AFTER_MS = 540_000
const SETUP = fileURLToPath(new URL('shell.bash', import.meta.url))

export async function openGuideShell({ env, files, url }: GuideShellOptions): Promise<GuideShell> {
  const server = createServer((request, response) => void answerCommand(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bridge = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  return {
    async paste(blocks, more = {}) {
      const folder = await mkdtemp(join(tmpdir(), 'drover-guide-'))
      await mkdir(join(folder, 'secrets'))
      for (const name of ['examples', 'node_modules', 'package.json'])
        await symlink(join(ROOT, name), join(folder, name))
      const adapt = (text: string) =>
        text
          .replaceAll('http://127.0.0.1:4747', url)
          .replaceAll('/run/secrets', join(folder, 'secrets'))
          .replaceAll('/etc/drover', join(folder, 'secrets'))
      for (const [name, text] of Object.entries(files))
        await writeFile(join(folder, name), adapt(text), { mode: 0o600 })
      const parts = blocks.map(({ place, text }) => {
        const expected = /^# (\d{3})\n/.exec(text)?.[1] ?? ''
        return `PLACE=${place} EXPECTED=${expected}\n${adapt(text)}`
      })
      try {
        const { stdout } = await promisify(execFile)('bash', ['-c', [`source ${SETUP}`, ...parts].join('\n')], {
          cwd: folder,
          timeout: STUCK_AFTER_MS,
          env: { PATH: process.env.PATH ?? '', HOME: folder, CLI_BRIDGE: bridge, ...env, ...more },
        })
        return stdout
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string }
        throw new Error(stdout + stderr)
      } finally {
        await rm(folder, { recursive: true })
      }
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The environment, an empty string, the folder and the arguments, each ended by a zero byte. */
async function answerCommand(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts = (await buffer(request)).toString().split('\0').slice(0, -1)
  const split = parts.indexOf('')
  const [folder = '/', ...args] = parts.slice(split + 1)
  const env = Object.fromEntries(
    parts.slice(0, split).map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
  const { code, stdout, stderr } = await startCli(args, { env, folder }).ended
  await writeFile(join(folder, '.cli-errors'), stderr)
  response.writeHead(200, { 'exit-code': String(code) }).end(stdout)
}
