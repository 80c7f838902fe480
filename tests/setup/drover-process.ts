/** Starts the real service as a process of its own, talks to it over HTTP, and kills it with real signals. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../packages/server/src/cli/main.ts', import.meta.url))
const IMPORTS = ['--conditions=drover-source', '--import', import.meta.resolve('tsx')]

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever JSON comes back
  readonly body: any
}

export interface DroverProcess {
  readonly pid: number
  readonly url: string
  readonly nodeId: string
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  get(path: string): Promise<HttpAnswer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  signal(signal: NodeJS.Signals): void
  /** Sends a signal and waits for the end; answers the exit code, null if the signal ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  output(): string
}

export interface LaunchedProcess {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  output(): string
  /** The first line of standard output that fits; rejects with all output if the process ends first. */
  lineWhere(fits: (line: string) => boolean): Promise<string>
}

export function launchDrover(args: readonly string[], env: Record<string, string> = {}, cwd = '/'): LaunchedProcess {
  const child = spawn(process.execPath, [...IMPORTS, MAIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const lines: string[] = []
  const waiting = new Set<() => void>()
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    text += `${line}\n`
    lines.push(line)
    for (const look of waiting) look()
  })
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return {
    child,
    exited,
    output: () => text,
    lineWhere: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find(fits)
          if (line === undefined) return
          waiting.delete(look)
          resolve(line)
        }
        waiting.add(look)
        look()
        void exited.then((code) => reject(new Error(`drover ${args.join(' ')} ended with ${code}:\n${text}`)))
      }),
  }
}

export interface StartOptions {
  readonly databaseUrl: string
  /** Absent where the configuration file names the chains. */
  readonly rpcUrl?: string
  readonly signerKeys: readonly string[]
  readonly env?: Record<string, string>
}

const LIVE = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of LIVE) child.kill('SIGKILL')
})

/** `drover start`, ready. The port is any free one. */
export async function startDrover(options: StartOptions): Promise<DroverProcess> {
  const launched = launchDrover(['start'], {
    DROVER_DATABASE_URL: options.databaseUrl,
    ...(options.rpcUrl !== undefined && { DROVER_RPC_URL: options.rpcUrl }),
    DROVER_SIGNER_KEYS: options.signerKeys.join(','),
    DROVER_PORT: '0',
    // No effect once there is an API key.
    DROVER_OPEN: 'true',
    ...(options.rpcUrl !== undefined && { DROVER_POLL_INTERVAL: '100ms' }),
    ...options.env,
  })
  LIVE.add(launched.child)
  void launched.exited.then(() => LIVE.delete(launched.child))
  const line = await launched.lineWhere((text) => text.includes('Drover is ready'))
  const { url, nodeId } = JSON.parse(line) as { url: string; nodeId: string }

  async function request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    // A bug is told only to the log: without it nobody could find it.
    if (response.status === 500) throw new Error(`${method} ${path} answered 500; the log says:\n${launched.output()}`)
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  return {
    pid: launched.child.pid ?? 0,
    url,
    nodeId,
    request,
    get: (path) => request('GET', path),
    post: (path, body, headers) => request('POST', path, body, headers),
    signal: (signal) => void launched.child.kill(signal),
    end: (signal = 'SIGTERM') => {
      launched.child.kill(signal)
      return launched.exited
    },
    output: launched.output,
  }
}
