/** The files in deploy/ keep what they promise: no root, nothing writable, probes, and only settings that exist. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { environmentVariableOf, SETTING_NAMES, SETTINGS } from '../../packages/server/src/config/settings.ts'
import { hasProgram } from '../setup/has-program.ts'

const FOLDER = fileURLToPath(new URL('../../deploy/', import.meta.url))
const read = (file: string) => readFile(`${FOLDER}${file}`, 'utf8')
const run = promisify(execFile)
const SHUTDOWN_MS = SETTINGS.shutdownTimeout.fallback ?? Number.POSITIVE_INFINITY
const hasSystemd = hasProgram('systemd-analyze')
const hasKubectl = hasProgram('kubectl', ['version', '--client'])

test.each(['Containerfile', 'compose.yml', 'env.example', 'kubernetes/drover.yaml'])(
  'every DROVER_ variable in %s is a setting',
  async (file) => {
    const named = [...(await read(file)).matchAll(/DROVER_[A-Z_]+/g)].map(([name]) => name)
    expect(named.length).toBeGreaterThan(0)
    const known = new Set(SETTING_NAMES.map(environmentVariableOf))
    expect(named.filter((name) => !known.has(name))).toEqual([])
  },
)

test('the container runs as a user without rights, from a pinned version, and hands over when told to stop', async () => {
  const lines = (await read('Containerfile')).split('\n')
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  expect(lines.filter((line) => line.startsWith('FROM ')).every((line) => /:\d+-\w+-slim/.test(line))).toBe(true)
  expect(last).toContain('USER 1000:1000')
  expect(last).toContain('STOPSIGNAL SIGTERM')
  expect(last.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true)
  // In the form of a list, so that no shell stands between Drover and the signals.
  expect(last.find((line) => line.startsWith('ENTRYPOINT '))).toBe(
    'ENTRYPOINT ["node", "--v8-pool-size=0", "packages/cli/dist/main.js"]',
  )
  expect(last.filter((line) => line.startsWith('COPY ')).every((line) => line.includes('--chown=root:root'))).toBe(true)
})

test('compose: nodes cannot write, gain rights or be stopped before they hand over', async () => {
  const { services } = parse(await read('compose.yml'), { merge: true })
  const nodes = Object.entries(services).filter(([name]) => name.startsWith('drover-'))
  expect(nodes).toHaveLength(2)
  for (const [, node] of nodes)
    expect(node).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      restart: 'unless-stopped',
      depends_on: { postgres: { condition: 'service_healthy' } },
    })
  const graceMs = Number.parseInt(services['drover-1'].stop_grace_period, 10) * 1_000
  expect(graceMs).toBeGreaterThan(SHUTDOWN_MS)
  // Only this machine: a proxy with TLS belongs in front.
  for (const [, node] of nodes as [string, { readonly ports: readonly string[] }][])
    expect(node.ports.every((port) => port.startsWith('127.0.0.1:'))).toBe(true)
})

test('no file asks for private keys in the environment; all of them read a keystore', async () => {
  for (const file of ['compose.yml', 'env.example', 'kubernetes/drover.yaml', 'systemd/drover.service'])
    expect([file, /SIGNER_KEYS/.test(await read(file))]).toEqual([file, false])
  const { services, secrets } = parse(await read('compose.yml'), { merge: true })
  expect(services['drover-1']).toMatchObject({ volumes: ['./keys:/etc/drover/keys:ro'], secrets: ['keystore'] })
  expect(secrets).toHaveProperty('keystore')
  const ignored = await readFile(`${FOLDER}../.gitignore`, 'utf8')
  for (const path of ['/deploy/.env', '/deploy/keys/', '/deploy/keystore-password'])
    expect(ignored.split('\n')).toContain(path)
  // systemd: a user that exists only while it runs can read them by its group.
  expect(await read('systemd/drover.service')).toMatch(/^SupplementaryGroups=drover$/m)
})

test('Kubernetes: probes, a disruption budget, no root and nothing writable', async () => {
  const documents = parseAllDocuments(await read('kubernetes/drover.yaml')).map((each) => each.toJS())
  expect(documents.map(({ kind }) => kind)).toEqual(['Deployment', 'Service', 'PodDisruptionBudget'])
  const [deployment, service, budget] = documents
  const pod = deployment.spec.template.spec
  const [container] = pod.containers
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(container.readinessProbe.httpGet.path).toBe('/readyz')
  // A database that is down is no reason to restart a node.
  for (const probe of [container.startupProbe, container.livenessProbe]) expect(probe.httpGet.path).toBe('/healthz')
  expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(SHUTDOWN_MS)
  expect(container.resources.limits.memory).toBeDefined()
  expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas)
  expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0)
  const { labels } = deployment.spec.template.metadata
  for (const selector of [
    deployment.spec.selector.matchLabels,
    service.spec.selector,
    budget.spec.selector.matchLabels,
  ])
    expect(labels).toMatchObject(selector)
})

test.skipIf(!hasKubectl)('kubectl builds the manifests', async () => {
  // Without a configuration: it must not look for a cluster.
  const { stdout } = await run('kubectl', ['kustomize', 'kubernetes'], {
    cwd: FOLDER,
    env: { PATH: process.env.PATH ?? '', KUBECONFIG: '/dev/null' },
  })
  expect(stdout.match(/namespace: drover/g)).toHaveLength(3)
})

test('systemd: Drover gets time to hand over, a user of its own, and a file system that it can only read', async () => {
  const unit = await read('systemd/drover.service')
  for (const line of [
    'DynamicUser=yes',
    'ProtectSystem=strict',
    'NoNewPrivileges=yes',
    'CapabilityBoundingSet=',
    'Restart=always',
  ])
    expect(unit.split('\n')).toContain(line)
  const stopMs = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) * 1_000
  expect(stopMs).toBeGreaterThan(SHUTDOWN_MS)
})

test.skipIf(!hasSystemd)('systemd-analyze accepts the unit and finds little exposure', async () => {
  const unit = `${FOLDER}systemd/drover.service`
  const { stderr } = await run('systemd-analyze', ['verify', unit])
  expect(stderr.split('\n').filter((line) => line.includes('drover.service') && !/not executable/.test(line))).toEqual(
    [],
  )
  const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit])
  expect(stdout).toContain('Overall exposure level')
})
