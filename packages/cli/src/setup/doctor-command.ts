/** `drover doctor`: checks everything that the service needs, and names the fix for each problem. */
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import type { Finding, Subject } from '@drover/server/admin'
import {
  type ConfigInput,
  findContradictions,
  findKeyConfig,
  type ResolvedSettings,
  resolveSettings,
  SEND_TO_ALL_NODES,
  toGasOracle,
} from '@drover/server/settings'
import type { Command } from 'commander'
import { type CommandContext, printLine } from '../command-context.ts'
import { EXIT } from '../exit-code.ts'
import { createStyle, type Style, toVisible } from '../output/style.ts'
import { DEFAULT_DATA_DIR, type DevRecord, readDevRecord } from '../run/dev-record.ts'
import { findDev, judgeDataDir } from './find-dev.ts'
import { addSettingFlags, readConfigInput } from './setting-flags.ts'

const MARKS = { ok: ['✓', 'green'], warning: ['!', 'yellow'], failed: ['✗', 'red'] } as const
/** What package.json asks for. */
const OLDEST_NODE = [20, 19] as const

export function addDoctorCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('doctor')
    .description(
      'check Node.js, configuration, database, RPC nodes, signers and port, and suggest a fix for each problem',
    )
    .option('--url <url>', 'URL of the service (default: DROVER_URL, else host and port)')
    .option('--data-dir <folder>', 'data folder of a running `drover dev`', DEFAULT_DATA_DIR)
    .option('--json', 'print JSON')
    .option('--no-color', 'no colours; NO_COLOR does the same')
    .addHelpText(
      'after',
      `
It changes nothing. The exit code is 0 if nothing failed (warnings are fine), else 1.

Example:
  DROVER_DATABASE_URL=postgres://drover@db/drover DROVER_RPC_URL=https://rpc.example drover doctor`,
    )
    .action(() => examine(command, context))
  addSettingFlags(command)
}

async function examine(command: Command, context: CommandContext): Promise<void> {
  const { terminal, redactor } = context
  const options = command.opts<{ json?: boolean; color: boolean; url?: string; dataDir: string }>()
  const input = await readConfigInput(command, context)
  const found = await findDev(input, {
    read: () => readDevRecord(resolve(terminal.folder, options.dataDir)),
    isUp: isAnswering,
  })
  const dev = found.type === 'running' ? found.dev : null
  const isNamed = command.getOptionValueSource('dataDir') !== 'default'
  const resolved = resolveSettings(dev === null ? input : useDev(input, dev))
  const { diagnose } = await import('@drover/server/admin')
  const { host = '127.0.0.1', port = 4747 } = resolved.values
  const usual = dev?.url ?? `http://${toReachable(host)}:${port}`
  const url = options.url ?? (terminal.env.DROVER_URL?.trim() || usual)
  const findings: readonly Finding[] = [
    judgeNode(process.versions.node),
    ...(isNamed && found.type !== 'running' ? [judgeDataDir(found, options.dataDir)] : []),
    ...(dev === null ? judgeSettings(resolved) : [judgeDev(options.dataDir)]),
    ...(await diagnose(toSubject(resolved, dev !== null))),
    await judgeService(url, host, port),
  ].map((finding) => ({ ...finding, detail: redactor.redact(finding.detail) }))
  const isBroken = findings.some(({ status }) => status === 'failed')
  const style = createStyle(terminal.stdout, terminal.env, options.color)
  printLine(
    context,
    options.json === true ? JSON.stringify({ ok: !isBroken, findings }) : presentFindings(findings, style),
  )
  context.finish(isBroken ? EXIT.failure : EXIT.ok)
}

function judgeDev(dataDir: string): Finding {
  return { check: 'configuration', status: 'ok', detail: `from the running \`drover dev\` (${dataDir})`, fix: null }
}

function isAnswering({ url }: DevRecord): Promise<boolean> {
  return fetch(`${url}/healthz`, { signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS) }).then(
    () => true,
    () => false,
  )
}

function useDev(input: ConfigInput, { databaseUrl, rpcUrl, signerKeys }: DevRecord): ConfigInput {
  return { ...input, flags: { blockTime: '1s', ...input.flags, databaseUrl, rpcUrl, signerKeys: signerKeys.join(',') } }
}

function toSubject(resolved: ResolvedSettings, isTrial: boolean): Subject {
  const { values, chains } = resolved
  return {
    databaseUrl: values.databaseUrl ?? null,
    poolerUrl: values.databasePoolerUrl ?? null,
    leaseDurationMs: values.leaseDuration ?? 15_000,
    keepUntilArchived: values.keepUntilArchived ?? false,
    keys: findKeyConfig(resolved),
    door: isTrial || values.host === undefined ? null : { host: values.host, isOpen: values.open ?? false },
    isTrial,
    chains: chains.map(({ values: chain }) => ({
      chainId: chain.chainId ?? null,
      rpcUrls: chain.rpcUrl ?? [],
      sendUrls: chain.rpcSendUrl ?? SEND_TO_ALL_NODES,
      blockTimeMs: chain.blockTime ?? 12_000,
      finality: chain.finality ?? { type: 'confirmations', count: 12 },
      gasOracle: toGasOracle(chain),
    })),
  }
}

function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  return isOld
    ? { check: 'Node.js', status: 'failed', detail: version, fix: `install ${OLDEST_NODE.join('.')} or later` }
    : { check: 'Node.js', status: 'ok', detail: version, fix: null }
}

function judgeSettings(resolved: ResolvedSettings): readonly Finding[] {
  const problems = [...resolved.problems, ...findContradictions(resolved)]
  if (problems.length === 0) return [{ check: 'configuration', status: 'ok', detail: 'complete', fix: null }]
  return problems.map(({ place, message }) => ({
    check: 'configuration',
    status: 'failed',
    detail: `${place} ${message}`,
    fix: 'run `drover config` to see each setting and where it comes from',
  }))
}

const SERVICE_TIMEOUT_MS = 5_000

/** How this machine reaches a service that listens on `host`: one that listens everywhere answers on loopback. */
function toReachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

async function judgeService(url: string, host: string, port: number): Promise<Finding> {
  const check = `service ${url}`
  try {
    const response = await fetch(`${url}/readyz`, {
      signal: AbortSignal.timeout(SERVICE_TIMEOUT_MS),
      redirect: 'manual',
    })
    const answer: unknown = await response.json()
    return judgeReadiness(check, answer)
  } catch (error) {
    if (error instanceof SyntaxError) {
      return {
        check,
        status: 'failed',
        detail: 'something other than Drover responds here',
        fix: 'use another --port or --url',
      }
    }
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return await judgePort(check, host, port, cause instanceof Error ? cause.message : String(cause))
  }
}

interface ReportedProblem {
  readonly part: string
  readonly message: string
  readonly action: string
}

function judgeReadiness(check: string, answer: unknown): Finding {
  if (typeof answer === 'object' && answer !== null && 'ready' in answer) {
    const problems = 'problems' in answer && Array.isArray(answer.problems) ? answer.problems : []
    if (answer.ready === true && problems.length === 0)
      return { check, status: 'ok', detail: 'running and ready', fix: null }
    const [first] = problems as readonly ReportedProblem[]
    const said = (problems as readonly ReportedProblem[]).map(({ part, message }) => `${part}: ${message}`).join(' ')
    const fix = first?.action ?? 'see its log'
    return answer.ready === true
      ? { check, status: 'warning', detail: `running, with problems: ${said}`, fix }
      : { check, status: 'failed', detail: `running, but not ready: ${said}`, fix }
  }
  return {
    check,
    status: 'failed',
    detail: 'something other than Drover responds here',
    fix: 'use another --port or --url',
  }
}

/** Whether the service could start here. */
function judgePort(check: string, host: string, port: number, why: string): Promise<Finding> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error) =>
      resolve({
        check,
        status: 'failed',
        detail: `does not respond (${why}), and ${error.message}`,
        fix: 'use another --port',
      }),
    )
    server.listen(port, host, () =>
      server.close(() =>
        resolve({ check, status: 'warning', detail: `not running; port ${port} is free`, fix: 'run `drover start`' }),
      ),
    )
  })
}

function presentFindings(findings: readonly Finding[], style: Style): string {
  const lines = findings.flatMap(({ check, status, detail, fix }) => {
    const [mark, colour] = MARKS[status]
    const line = `${style.paint(colour, mark)} ${check}: ${toVisible(detail)}`
    return fix === null ? [line] : [line, style.paint('dim', `    fix: ${fix}`)]
  })
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length
  return [...lines, '', `${count('failed')} failed, ${spellWarnings(count('warning'))}, ${count('ok')} ok.`].join('\n')
}

function spellWarnings(count: number): string {
  return count === 1 ? '1 warning' : `${count} warnings`
}
