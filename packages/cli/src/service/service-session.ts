/** What a command that talks to a service works with: the client, the terminal, how to answer, and what interrupts it. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createDrover, type Drover } from '@drover/client'
import { createProvider, type Provider } from '@drover/client/eip1193'
import type { CommandContext } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { createStyle, type Style } from '../output/style.ts'
import type { Terminal } from '../output/terminal.ts'

export interface Session {
  readonly drover: Drover
  /** JSON-RPC of a chain, through the service. */
  rpc(chainId: number): Provider
  readonly url: string
  readonly terminal: Terminal
  readonly style: Style
  /** Colours are wanted, where there is a terminal to show them. */
  readonly colour: boolean
  readonly json: boolean
  /** Fires at the first Ctrl-C. */
  readonly signal: AbortSignal
  /** The answer: one line of JSON, or text for people. */
  print(value: unknown, forPeople: () => string): void
  /** Beside the answer, on standard error; not for programs. */
  note(text: string): void
}

export interface ServiceOptions {
  readonly url?: string
  readonly apiKeyFile?: string
  readonly json?: boolean
  readonly color: boolean
}

/** A wrong use that only the command itself can see. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** What the signal of a session is aborted with. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted')
    this.name = 'Interrupted'
  }
}

interface Opening {
  readonly url: string
  readonly apiKey: string | null
  readonly options: ServiceOptions
  readonly context: CommandContext
  readonly signal: AbortSignal
}

export function openSession({ url, apiKey, options, context, signal }: Opening): Session {
  const { terminal, redactor } = context
  const json = options.json === true
  const connection = { url, ...(apiKey !== null && { apiKey }) }
  return {
    drover: createDrover({ ...connection, retry: { maxTries: 4 } }),
    rpc: (chainId) => createProvider({ ...connection, chainId, retry: { maxTries: 4 } }),
    url,
    terminal,
    style: createStyle(terminal.stdout, terminal.env, options.color),
    colour: options.color,
    json,
    signal,
    print: (value, forPeople) =>
      void terminal.stdout.write(`${redactor.redact(json ? JSON.stringify(value) : forPeople())}\n`),
    note: (text) => void terminal.stderr.write(`${redactor.redact(text)}\n`),
  }
}

/** By environment or file and never as an argument: any user on the machine can read the arguments of a process. */
export async function readApiKey({ apiKeyFile }: ServiceOptions, context: CommandContext): Promise<string | null> {
  const { env, folder } = context.terminal
  const given =
    env.DROVER_API_KEY?.trim() || (apiKeyFile === undefined ? '' : await readKeyFile(resolve(folder, apiKeyFile)))
  if (given === '') return null
  context.redactor.hide(given)
  return given
}

async function readKeyFile(path: string): Promise<string> {
  try {
    const text = (await readFile(path, 'utf8')).trim()
    if (text !== '') return text
  } catch (error) {
    throw new UsageError(`--api-key-file: ${error instanceof Error ? error.message : error}`)
  }
  throw new UsageError('--api-key-file: the file is empty')
}

/** The first signal asks the command to end well; a second one, later than the same keystroke, ends it at once. */
export function catchSignals(terminal: Terminal): { readonly signal: AbortSignal; close(): void } {
  const controller = new AbortController()
  let firstAt: number | null = null
  const close = terminal.onSignal(() => {
    if (firstAt === null) {
      firstAt = performance.now()
      controller.abort(new Interrupted())
    } else if (performance.now() - firstAt > SAME_KEYSTROKE_MS) terminal.exit(EXIT.interrupted)
  })
  return { signal: controller.signal, close: () => void close() }
}

/** One Ctrl-C arrives twice under npm: from the terminal, and passed on by npm. */
const SAME_KEYSTROKE_MS = 500
