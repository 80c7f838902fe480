/**
 * A real Prometheus that scrapes nodes and evaluates the alert rules that deploy/ ships. Alerts fire at once instead of
 * after their `for`, and a test may lower a limit that is measured in minutes.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { parse, stringify } from 'yaml'
import { findFreePort } from '../../packages/dev/src/free-port.ts'
import { eventually } from './eventually.ts'
import { hasProgram } from './has-program.ts'

export interface Prometheus {
  /** Scrapes these from now on, and no others. Returns once it has scraped each. */
  watch(urls: readonly string[]): Promise<void>
  /** Whether the alert has fired for this node since the start. */
  hasFired(alert: string, url: string): Promise<boolean>
  /** The alert fires, or has fired since the start, and leads to this entry of the runbook. */
  untilFired(alert: string, entry: string): Promise<void>
  stop(): Promise<void>
}

export interface PrometheusOptions {
  readonly token?: string
  /** By alert: what its expression ends with, and what it ends with instead. */
  readonly limits?: Readonly<Record<string, readonly [from: string, to: string]>>
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly annotations: { readonly runbook: string }
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>
}

const RULES = fileURLToPath(new URL('../../deploy/monitoring/alerts.yml', import.meta.url))

/** Where no Prometheus is installed, every alert counts as fired: the rest of a test still runs. */
export async function startPrometheus({ token, limits = {} }: PrometheusOptions = {}): Promise<Prometheus> {
  if (!hasProgram('prometheus'))
    return { watch: async () => {}, hasFired: async () => true, untilFired: async () => {}, stop: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'drover-prometheus-'))
  const port = await findFreePort()
  const rules = (parse(await readFile(RULES, 'utf8')).groups[0].rules as readonly Rule[]).map((rule) =>
    toEager(rule, limits[rule.alert]),
  )
  await writeFile(join(folder, 'alerts.yml'), stringify({ groups: [{ name: 'drover', rules }] }))
  const setTargets = async (targets: readonly string[]) => {
    // Renamed into place, so that Prometheus never reads half a file.
    await writeFile(join(folder, 'targets.new'), JSON.stringify([{ targets }]))
    await rename(join(folder, 'targets.new'), join(folder, 'targets.json'))
  }
  await setTargets([])
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [
      {
        job_name: 'drover',
        file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }],
        ...(token !== undefined && { authorization: { credentials: token } }),
      },
    ],
  }
  await writeFile(join(folder, 'prometheus.yml'), stringify(config))
  const args = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`]
  const child = spawn('prometheus', args, { cwd: folder, stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  process.once('exit', () => child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await eventually(() => isReady(url), Boolean)

  async function query(expression: string): Promise<readonly Sample[]> {
    const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`)
    const { data } = (await response.json()) as { readonly data: { readonly result: readonly Sample[] } }
    return data.result
  }

  const findFired = (alert: string) => query(`max_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[1h])`)

  async function watch(urls: readonly string[]): Promise<void> {
    const targets = urls.map((each) => new URL(each).host)
    await setTargets(targets)
    await eventually(
      () => query('up == 1'),
      (samples) => targets.every((target) => samples.some(({ metric }) => metric.instance === target)),
    )
  }

  return {
    watch,
    hasFired: async (alert, node) =>
      (await findFired(alert)).some(({ metric }) => metric.instance === new URL(node).host),
    untilFired: async (alert, entry) => {
      const rule = rules.find((each) => each.alert === alert)
      expect([alert, rule?.annotations.runbook]).toEqual([alert, `docs/runbook.md#${entry}`])
      await eventually(
        async () => ({ alert, fired: await findFired(alert) }),
        ({ fired }) => fired.length > 0,
        { everyMs: 200 },
      )
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

function toEager({ for: _, ...rule }: Rule, limit: readonly [string, string] | undefined): Rule {
  if (limit === undefined) return rule
  const [from, to] = limit
  if (!rule.expr.endsWith(from)) throw new Error(`the rule ${rule.alert} does not end with "${from}"`)
  return { ...rule, expr: `${rule.expr.slice(0, -from.length)}${to}` }
}

const isReady = (url: string) =>
  fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
