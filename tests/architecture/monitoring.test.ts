/** The alert rules, the dashboard and the runbook name only what exists, and every alert has a test and an entry. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { CHAIN_STATES } from '../../packages/server/src/core/chain/chain-health.ts'
import { CAUSES } from '../../packages/server/src/core/explain/explanation.ts'
import {
  chainRunbookEntry,
  DATABASE_ENTRY,
  endpointRunbookEntry,
  FINAL_REORG_ENTRY,
  findRunbookEntry,
  KEY_STORE_ENTRY,
  laneRunbookEntry,
  SILENT_NODE_ENTRY,
  TAKEOVER_ENTRY,
} from '../../packages/server/src/core/explain/runbook.ts'
import { LANE_PROBLEMS } from '../../packages/server/src/core/lane/lane-problem.ts'
import { METRICS, type Metric } from '../../packages/server/src/telemetry/metrics.ts'
import { createTelemetry } from '../../packages/server/src/telemetry/telemetry.ts'
import { hasProgram } from '../setup/has-program.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}
interface RuleTest {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[]
}

const CONCERNS = new URL('../../packages/dashboard/src/words/concerns.ts', import.meta.url)
const FOLDER = fileURLToPath(new URL('../../deploy/monitoring/', import.meta.url))
const rules = async (): Promise<readonly Rule[]> => (await readYaml('alerts.yml')).groups[0].rules
const runbook = readFile(new URL('../../docs/runbook.md', import.meta.url), 'utf8')
const hasPromtool = hasProgram('promtool')

// biome-ignore lint/suspicious/noExplicitAny: whatever the file says
async function readYaml(file: string): Promise<any> {
  return parse(await readFile(`${FOLDER}${file}`, 'utf8'))
}

async function listExpressions(): Promise<readonly string[]> {
  const { panels } = JSON.parse(await readFile(`${FOLDER}grafana-dashboard.json`, 'utf8'))
  const shown = panels.flatMap(({ targets = [] }: { readonly targets?: readonly { readonly expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
  return [...(await rules()).map(({ expr }) => expr), ...shown]
}

/** The names of metrics in an expression, each with the labels it is asked for by. */
function findUses(expr: string) {
  const uses = [...expr.matchAll(/\b(drover_\w+|nodejs_\w+|up)\b(?:\{([^}]*)\})?/g)]
  return uses.map(([, name = '', selector = '']) => ({
    name: name.replace(/_(bucket|count|sum)$/, ''),
    labels: [...selector.matchAll(/(\w+)\s*[!=]/g)].map(([, label = '']) => label),
  }))
}

test('every metric and label that a rule or a panel names exists', async () => {
  const telemetry = createTelemetry({ level: 'error', stream: { write: () => {} }, withProcessMetrics: true })
  const served = (await telemetry.renderMetrics()).body
  const uses = (await listExpressions()).flatMap(findUses)
  expect(uses.length).toBeGreaterThan(50)
  const unknown = uses.filter(({ name }) => name !== 'up' && !served.includes(`# TYPE ${name} `))
  expect(unknown).toEqual([])
  const labelsOf = (name: string) => Object.keys((METRICS as Readonly<Record<string, Metric>>)[name]?.labels ?? {})
  // Prometheus itself adds these two.
  const known = (name: string) => [...labelsOf(name), 'job', 'instance']
  expect(uses.filter(({ name, labels }) => labels.some((label) => !known(name).includes(label)))).toEqual([])
})

test('every alert fires in a test of its own, and stays quiet in another', async () => {
  const { tests } = (await readYaml('alerts.test.yml')) as { readonly tests: readonly RuleTest[] }
  const tested = tests.flatMap(({ alert_rule_test }) => alert_rule_test)
  const namesOf = (fires: boolean) =>
    tested.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname)
  const names = (await rules()).map(({ alert }) => alert)
  expect(new Set(names).size).toBe(names.length)
  expect(namesOf(true)).toEqual(names)
  expect(namesOf(false)).toEqual(names)
})

test('every alert is brought about on real processes, in a real Prometheus', async () => {
  const files = ['e2e/runbook.test.ts', 'cluster/runbook.test.ts', 'cluster/lost-writes.test.ts']
  const texts = await Promise.all(files.map((file) => readFile(new URL(`../${file}`, import.meta.url), 'utf8')))
  const fired = texts.flatMap((text) => [...text.matchAll(/\.untilFired\('(\w+)'/g)].map(([, alert]) => alert))
  expect((await rules()).map(({ alert }) => alert).filter((alert) => !fired.includes(alert))).toEqual([])
})

test('every alert leads to an entry of the runbook that names it', async () => {
  const text = await runbook
  for (const { alert, annotations } of await rules()) {
    const [file, anchor] = (annotations.runbook ?? '').split('#')
    expect([alert, file]).toEqual([alert, 'docs/runbook.md'])
    const entry = text.split(/^## /m).find((each) => toAnchor(each.split('\n')[0] ?? '') === anchor)
    expect(entry, `no entry ${anchor}`).toContain(`\`${alert}\``)
  }
})

test('every entry that explain, the signers and the page link to exists', async () => {
  const anchors = [...(await runbook).matchAll(/^## (.*)$/gm)].map(([, title = '']) => toAnchor(title))
  const linked = CAUSES.flatMap((cause) => [
    findRunbookEntry({ state: 'TRACKING' }, cause),
    findRunbookEntry({ state: 'STUCK' }, cause),
  ])
  const lanes = LANE_PROBLEMS.map(laneRunbookEntry)
  const chains = CHAIN_STATES.map(chainRunbookEntry)
  const others = [DATABASE_ENTRY, SILENT_NODE_ENTRY, KEY_STORE_ENTRY, TAKEOVER_ENTRY, FINAL_REORG_ENTRY]
  const endpoints = [true, false].map(endpointRunbookEntry)
  // The page links to these by itself.
  const page = [...(await readFile(CONCERNS, 'utf8')).matchAll(/'(docs\/runbook\.md#[\w-]+)'/g)].map(([, link]) => link)
  expect(page).toContain('docs/runbook.md#send-endpoint-away')
  const wanted = new Set(
    [...linked, ...lanes, ...chains, ...others, ...endpoints, ...page].flatMap((link) => link?.split('#')[1] ?? []),
  )
  expect(wanted.size).toBeGreaterThan(5)
  expect([...wanted].filter((anchor) => !anchors.includes(anchor))).toEqual([])
})

test.skipIf(!hasPromtool)(
  'promtool accepts the rules and the configuration, and every alert fires as told',
  async () => {
    const promtool = (...args: string[]) => promisify(execFile)('promtool', args, { cwd: FOLDER })
    await promtool('check', 'rules', 'alerts.yml')
    await promtool('check', 'config', '--syntax-only', 'prometheus.yml')
    const { stdout } = await promtool('test', 'rules', 'alerts.test.yml')
    expect(stdout).toContain('SUCCESS')
  },
)

function toAnchor(title: string): string {
  return title.trim().toLowerCase().replaceAll(' ', '-')
}
