/**
 * Two nodes on a PostgreSQL that Patroni runs, behind HAProxy, as docs/operations.md sets it up. The primary is switched
 * over, killed, and switched back while clients send: nothing is lost or doubled, and no client sees an error.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDrover, type Drover } from '../../packages/client/src/index.ts'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { readAll } from '../setup/cluster.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { type LoadBalancer, startLoadBalancer } from '../setup/load-balancer.ts'
import { findPatroniMissing, type PatroniSet, startPatroniSet } from '../setup/patroni/patroni-set.ts'

const SIGNERS = [0, 1, 2, 3].map(developmentAccount)
const [FAST, STABLE] = [SIGNERS.slice(0, 2), SIGNERS.slice(2)]
const ENV = {
  DROVER_FINALITY: '1',
  DROVER_SIGNER_POLICY: ['fast', ...STABLE.map(({ address }) => `${address}=stable`)].join(','),
  DROVER_SIMULATION_TIMEOUT: '30s',
}

interface Round {
  readonly startedAt: number
  readonly ms: number
}

const missing = findPatroniMissing()
if (missing !== null) console.warn(`SKIPPED: ${missing}, so no test runs Drover on Patroni`)

describe.skipIf(missing !== null)('PostgreSQL under Patroni, in synchronous mode', () => {
  let set: PatroniSet
  let chain: TestChain
  let balancer: LoadBalancer
  const nodes: DroverProcess[] = []
  const load = { isOver: false, accepted: [] as string[], errors: [] as unknown[], retried: [] as string[] }
  /** For each signer, how long each transaction took from its request to its block. */
  const rounds = new Map<string, Round[]>(SIGNERS.map(({ address }) => [address, []]))
  let callers: readonly Promise<void>[] = []
  let old = ''

  beforeAll(async () => {
    ;[set, chain, balancer] = await Promise.all([
      startPatroniSet({ synchronous: true }),
      startTestChain({ accounts: SIGNERS.length, blockTimeSeconds: 1 }),
      startLoadBalancer(),
    ])
    const primary = await set.primary()
    await set.query(primary, 'create database drover')
    for (const _ of ['first', 'second']) {
      const node = await startDrover({
        databaseUrl: set.url('drover'),
        rpcUrl: chain.rpcUrl,
        signerKeys: SIGNERS.map(({ privateKey }) => privateKey),
        env: ENV,
      })
      nodes.push(node)
      balancer.add(node.url)
    }
    // As often as it takes: how long a promotion takes is up to the machine. What the client does not retry still fails.
    const retry = { maxTries: 1_000, maxDelayMs: 1_000 }
    const drover = createDrover({ url: balancer.url, retry, onRetry: ({ error }) => load.retried.push(String(error)) })
    callers = [
      ...FAST.map(({ address }) => call(drover, address, 'sent')),
      // One at a time of a stable signer: a queue that only grows would be all that its callers wait for.
      ...SIGNERS.map(({ address }) => call(drover, address, 'mined')),
    ]
  })

  afterAll(async () => {
    load.isOver = true
    await Promise.all(nodes.map((node) => node.end('SIGKILL')))
    await balancer?.stop()
    await Promise.all([chain?.stop(), set?.stop()])
  })

  /** Sends one after the other, and waits for each to be mined, or only reads it. */
  async function call(drover: Drover, from: `0x${string}`, until: 'sent' | 'mined'): Promise<void> {
    while (!load.isOver) {
      const startedAt = performance.now()
      try {
        const sent = await drover.send({ from, to: from, value: 1n })
        load.accepted.push(sent.id)
        if (until === 'sent') await drover.transactions.get(sent.id)
        else {
          await sent.wait('mined')
          rounds.get(from)?.push({ startedAt, ms: performance.now() - startedAt })
        }
      } catch (error) {
        if (!load.isOver) load.errors.push(error)
        return
      }
    }
  }

  /** Every signer had a transaction accepted and mined that was asked for after this call. */
  async function untilAllMove(): Promise<void> {
    const since = performance.now()
    const waiting = () =>
      [...rounds].flatMap(([signer, all]) => (all.some(({ startedAt }) => startedAt > since) ? [] : [signer]))
    await eventually(
      async () => ({ waiting: waiting(), errors: load.errors.map(String) }),
      (seen) => seen.waiting.length === 0 || seen.errors.length > 0,
    ).catch(async (error: unknown) => {
      throw new Error(await set.log(), { cause: error })
    })
    expect(load.errors).toEqual([])
  }

  /** Prints the longest time that any signer's caller waited for a transaction to be mined. */
  async function through(name: string, fault: () => Promise<void>): Promise<void> {
    await untilAllMove()
    const since = performance.now()
    await fault()
    const promotedMs = performance.now() - since
    await untilAllMove()
    const overlapping = [...rounds.values()].flat().filter(({ startedAt, ms }) => startedAt + ms > since)
    const longest = Math.max(...overlapping.map(({ ms }) => ms))
    const seconds = (ms: number) => (ms / 1_000).toFixed(1)
    process.stdout.write(
      `patroni: ${name}: new primary after ${seconds(promotedMs)} s; longest from request to block ${seconds(longest)} s\n`,
    )
  }

  test('an operator switches over', async () => {
    let settled = Promise.resolve()
    await through('switchover', async () => {
      ;({ settled } = await set.switchover())
    })
    await settled
  })

  test('the primary and its Patroni are killed', async () => {
    await through('failover', async () => {
      old = await set.failover()
    })
  })

  test('the old primary comes back as the standby, and is switched back to', async () => {
    await set.rejoin(old)
    await through('switchover back', async () => {
      await set.switchover()
    })
    expect(await set.primary()).toBe(old)
  })

  test('nothing was lost or doubled, and no client saw an error [G3] [G7]', async () => {
    load.isOver = true
    await Promise.all(callers)
    expect(load.errors).toEqual([])
    const [node] = nodes
    if (node === undefined) throw new Error('no node runs')
    const stored = await eventually(
      () => readAll(node),
      (all) => all.every(({ state }) => state === 'CONFIRMED'),
      { everyMs: 500 },
    )
    await expectExactlyOnce(chain, stored, { accepted: load.accepted })
    for (const each of nodes) expect((await each.get('/readyz')).status).toBe(200)
    process.stdout.write(
      `patroni: ${load.accepted.length} sent, ${load.retried.length} retried by clients, ${balancer.turnedAway} found no node\n`,
    )
  })
})
