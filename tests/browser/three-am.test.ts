/**
 * What an operator sees and does at 3 am. Every row of the table in docs/operations.md is made to happen on real
 * processes, and page, `explain`, `/readyz`, metrics and log have to name the cause and the next step. Then it is put
 * right from the overview, by clicks alone, or outside of Drover where the page says so. The page is never reloaded.
 * Nothing here goes by the clock: how long each place took is measured and printed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CHAIN_STEPS,
  DATABASE_STEP,
  laneStep,
  SILENT_NODE_STEP,
} from '../../packages/server/src/core/explain/next-steps.ts'
import { type DevelopmentAccount, developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { drop } from '../setup/rpc-reactions.ts'
import { awaitEverywhere, type NightStack, type Seconds, startNightStack } from './night-stack.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)
const CHAIN_ID = 31_337
const SEND = 'eth_sendRawTransaction'

/** A row of the table: what it must say, and who must do what. */
interface Row {
  readonly name: string
  readonly cause: string
  readonly metric: string
  readonly step: string
}

const HERE = { signer: '<address>', chainId: '<chain>' }

const ROWS = {
  standing: {
    name: 'stalled chain',
    cause: 'chain_standing',
    metric: 'drover_chain_state{state="standing"}',
    step: CHAIN_STEPS.standing ?? '',
  },
  drained: {
    name: 'drained signer',
    cause: 'waiting_for_funds',
    metric: 'drover_lane_problem{problem="out_of_funds"}',
    step: laneStep('out_of_funds', HERE),
  },
  foreign: {
    name: 'foreign nonce',
    cause: 'foreign_nonce',
    metric: 'drover_lane_problem{problem="foreign_nonce"}',
    step: laneStep('foreign_nonce', HERE),
  },
  capped: {
    name: 'fee above cap',
    cause: 'fee_above_cap',
    metric: 'drover_lane_problem{problem="fee_above_cap"}',
    step: laneStep('fee_above_cap', HERE, { source: 'signer_per_gas', perGas: '1000', enough: '<amount>' }),
  },
  rpc: {
    name: 'dead RPC',
    cause: 'chain_unreachable',
    metric: 'drover_chain_state{state="unreachable"}',
    step: CHAIN_STEPS.unreachable ?? '',
  },
  database: { name: 'dead database', cause: 'database_unavailable', metric: 'drover_database_up', step: DATABASE_STEP },
  node: { name: 'node down', cause: 'no_owner', metric: 'drover_nodes{state="silent"}', step: SILENT_NODE_STEP },
  reservation: {
    name: 'reservation that never ends',
    cause: 'blocked_by_reservation',
    metric: 'drover_lane_problem{problem="blocked_by_reservation"}',
    step: laneStep('blocked_by_reservation', HERE),
  },
} as const satisfies Record<string, Row>

test('the table in docs/operations.md has these rows, word for word', () => {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
  const section = text.split('\n## ').find((part) => part.startsWith('The 3 am table')) ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('| **'))
  const documented = lines.map((line) => line.slice('| **'.length, line.indexOf('**', 5)))
  const rows: readonly Row[] = Object.values(ROWS)
  expect(documented).toEqual(rows.map(({ name }) => name))
  for (const [index, { cause, metric, step }] of rows.entries()) {
    for (const said of [`\`${cause}\``, `\`${metric}\``, step]) expect(lines[index]).toContain(said)
  }
})

describe.skipIf(CHROMIUM === undefined)('at 3 am', () => {
  let stack: NightStack
  const took: Record<string, Seconds> = {}
  const signers = Array.from({ length: 6 }, (_, index) => developmentAccount(index))
  const accountOf = (index: number): DevelopmentAccount => signers[index] ?? developmentAccount(index)

  beforeAll(async () => {
    stack = await startNightStack(CHROMIUM ?? '')
    await stack.page.evaluate('window.isFirstLoad = true')
  })

  afterAll(async () => {
    await stack?.stop()
    const round = (seconds: Seconds) =>
      Object.fromEntries(Object.entries(seconds).map(([place, value]) => [place, Number(value.toFixed(1))]))
    console.table(Object.fromEntries(Object.entries(took).map(([row, seconds]) => [row, round(seconds)])))
  })

  /** The words of a step as this stack has them. `explain` and the page name the address in full, `/readyz` does not. */
  function stepFor({ step }: Row, { address }: DevelopmentAccount, id = '<id>'): string {
    const full = step.replaceAll('<chain>', String(CHAIN_ID)).replaceAll('<id>', id)
    return full.replaceAll('<address>', address)
  }

  async function walk(row: Row, scene: Parameters<typeof awaitEverywhere>[1], since: number): Promise<void> {
    took[row.name] = await awaitEverywhere(stack, scene, since)
    await stack.picture(stack.page, row.name)
  }

  /** A signer's own problem: all five places, given what they say of it. */
  async function walkSigner(
    row: Row,
    account: DevelopmentAccount,
    id: string,
    said: string,
    since: number,
  ): Promise<void> {
    // The amount depends on the price of gas.
    const [step = ''] = stepFor(row, account, id).split('<amount>')
    const begin = row.step.slice(0, row.step.search(/[<`]/) > 10 ? row.step.search(/[<`]/) : undefined)
    const problem = /problem="(\w+)"/.exec(row.metric)?.[1]
    await walk(
      row,
      {
        page: [said, begin],
        explain: { id, says: [`"cause":"${row.cause}"`, JSON.stringify(step).slice(1, -1)] },
        readyz: [short(account), said, JSON.stringify(begin).slice(1, -1)],
        metric: {
          line: new RegExp(`drover_lane_problem\\{.*${account.address.toLowerCase()}.*problem="${problem}"`),
          value: 1,
        },
        log: [`"problem":"${problem}"`, said, JSON.stringify(begin).slice(1, -1)],
      },
      since,
    )
  }

  /** Calm: the overview no longer says it. */
  async function awaitCalm(said: string): Promise<void> {
    await stack.concern(said).waitFor({ state: 'detached' })
  }

  async function awaitMined(id: string): Promise<void> {
    await eventually(
      async () => (await stack.drover.get(`/v1/transactions/${id}`)).body.inclusion,
      (inclusion) => inclusion !== null,
    )
  }

  // The first, because the page names a dead node for ten leases: by the last test, that is over.
  test(ROWS.node.name, async () => {
    // A key that only the other node has: nobody can take its signer over.
    const account = developmentAccount(7)
    const peer = await stack.startPeer([account.privateKey])
    const other = await stack.openPage(peer.url)
    await other.getByText(account.address.slice(0, 6)).first().waitFor()
    await stack.chain.setBlockInterval(0)
    const id = await stack.send(account.address)
    await eventually(
      async () => (await stack.drover.get(`/v1/transactions/${id}`)).body.state,
      (state) => state === 'TRACKING',
    )
    // Named by its machine, with its id after that.
    const { items } = (await stack.drover.get('/v1/nodes')).body as { items: { id: string; address: string }[] }
    const name = `${items.find((node) => node.id === peer.nodeId)?.address} (${peer.nodeId})`
    const since = performance.now()
    await peer.end('SIGKILL')
    await walk(
      ROWS.node,
      {
        page: [`Node ${name}: has not reported since`, '1 signer is affected', SILENT_NODE_STEP],
        explain: {
          id,
          says: ['"cause":"no_owner"', `Node ${name}`, 'has not reported since', SILENT_NODE_STEP],
        },
        readyz: [`node ${name}`, 'has not reported since', SILENT_NODE_STEP],
        metric: { line: /drover_nodes\{.*state="silent"/, value: 1 },
        log: [`node ${peer.nodeId} has not reported since`, SILENT_NODE_STEP],
      },
      since,
    )
    // Whoever has the page of the dead node open is told as well.
    await other.getByText('Check that it is running').waitFor()
    await stack.picture(other, `${ROWS.node.name} its own page`)
    await stack.chain.setBlockInterval(1)
    // Started again, as the page says.
    await stack.startPeer([account.privateKey])
    await awaitMined(id)
    await awaitCalm('1 signer is affected')
  })

  test(ROWS.standing.name, async () => {
    await stack.chain.setBlockInterval(0)
    const since = performance.now()
    const id = await stack.send(accountOf(0).address)
    const said = 'The chain has made no block for'
    await walk(
      ROWS.standing,
      {
        page: [`Chain ${CHAIN_ID}: ${said}`, ROWS.standing.step],
        explain: { id, says: ['"cause":"chain_standing"', said, ROWS.standing.step] },
        readyz: ['"status":"degraded"', said, ROWS.standing.step],
        metric: { line: /drover_chain_state\{.*state="standing"/, value: 1 },
        log: [`chain ${CHAIN_ID} is stalled`, said, ROWS.standing.step],
      },
      since,
    )
    await stack.chain.setBlockInterval(1)
    await awaitCalm(said)
  })

  test(ROWS.drained.name, async () => {
    const account = accountOf(1)
    await stack.chain.setBalance(account.address, 1_000n)
    const since = performance.now()
    const id = await stack.send(account.address)
    await walkSigner(ROWS.drained, account, id, 'Out of funds', since)
    await eventually(
      async () => (await stack.drover.get(`/v1/signers/${account.address}`)).body.lanes[0].balance,
      ({ wei, runway, isLow }) => wei === '1000' && runway === 0 && isLow,
    )
    const concern = stack.concern('Out of funds')
    await concern.getByRole('button', { name: 'Top up' }).click()
    await concern.getByRole('img', { name: `QR code of ${account.address} on Local chain` }).waitFor()
    const address = await concern.locator('.top-up .mono').textContent()
    await stack.chain.setBalance(address?.trim() ?? '', 10n ** 18n)
    await awaitCalm('Out of funds')
    await awaitMined(id)
  })

  test(ROWS.foreign.name, async () => {
    const account = accountOf(2)
    const heal = stack.proxy.on(SEND, drop({ forward: false }))
    const id = await stack.send(account.address)
    await eventually(
      async () => (await stack.drover.get(`/v1/transactions/${id}`)).body.state,
      (state) => state === 'ALLOCATED',
    )
    const raw = await privateKeyToAccount(account.privateKey).signTransaction({
      chainId: CHAIN_ID,
      nonce: 0,
      gas: 21_000n,
      to: developmentAccount(8).address,
      value: 5n,
      maxFeePerGas: 50_000_000_000n,
      maxPriorityFeePerGas: 2_000_000_000n,
    })
    await stack.chain.rpc(SEND, [raw])
    heal()
    const since = performance.now()
    const said = 'was used by a transaction that Drover did not sign'
    await walkSigner(ROWS.foreign, account, id, said, since)
    const concern = stack.concern(said)
    await concern.getByRole('button', { name: 'Choose an action' }).click()
    await concern.getByLabel('Reason').fill('the other one was ours')
    await concern.getByRole('button', { name: 'Requeue this transaction' }).click()
    await awaitCalm(said)
    await awaitMined(id)
    const { body } = await stack.drover.get(`/v1/transactions/${id}/history`)
    expect(JSON.stringify(body)).toContain('the other one was ours')
  })

  test(ROWS.capped.name, async () => {
    const account = accountOf(3)
    const change = { policy: { maxFeePerGas: '1000' } }
    expect(await stack.drover.request('PATCH', `/v1/signers/${account.address}`, change)).toMatchObject({ status: 200 })
    const since = performance.now()
    const id = await stack.send(account.address)
    const said = 'The gas price is above the limit'
    await walkSigner(ROWS.capped, account, id, said, since)
    const concern = stack.concern(said)
    await concern.getByRole('button', { name: 'Raise the limit' }).click()
    await concern.getByLabel('Most per gas').fill('none')
    await concern.getByRole('list', { name: 'What changes' }).getByText('none').waitFor()
    await concern.getByLabel('Reason').fill('worth the price')
    await concern.getByRole('button', { name: 'Save 1 change' }).click()
    await awaitCalm(said)
    await awaitMined(id)
  })

  test(ROWS.rpc.name, async () => {
    stack.proxy.setDown(true)
    const since = performance.now()
    const id = await stack.send(accountOf(4).address)
    const host = new URL(stack.proxy.url).host
    const said = `RPC node ${host} has not responded since`
    await walk(
      ROWS.rpc,
      {
        page: [`Chain ${CHAIN_ID}: RPC node ${host} has not responded since`, ROWS.rpc.step],
        explain: { id, says: ['"cause":"chain_unreachable"', said, ROWS.rpc.step] },
        readyz: ['"status":"unavailable"', said, ROWS.rpc.step],
        metric: { line: /drover_chain_state\{.*state="unreachable"/, value: 1 },
        log: [`chain ${CHAIN_ID} is unreachable`, said, ROWS.rpc.step],
      },
      since,
    )
    expect(await stack.concern(said).textContent()).toContain(host)
    stack.proxy.setDown(false)
    await awaitCalm(said)
    await awaitMined(id)
  })

  test(ROWS.database.name, async () => {
    const id = await stack.send(accountOf(4).address)
    const since = performance.now()
    await stack.relay.close()
    await walk(
      ROWS.database,
      {
        page: ['The database does not respond', DATABASE_STEP],
        explain: { id, says: ['"code":"database_unavailable"', 'The database does not respond', DATABASE_STEP] },
        readyz: ['"ready":false', '"part":"database","message":"does not respond"', DATABASE_STEP],
        metric: { line: /^drover_database_up /, value: 0 },
        log: ['the database does not respond', DATABASE_STEP],
      },
      since,
    )
    await stack.relay.open()
    await stack.page.getByText('The database does not respond').waitFor({ state: 'detached' })
    await stack.page.getByText('Live', { exact: true }).waitFor()
  })

  test(ROWS.reservation.name, async () => {
    const account = accountOf(5)
    const change = { policy: { preset: 'fast', stuckAfterMs: 1_000 } }
    expect(await stack.drover.request('PATCH', `/v1/signers/${account.address}`, change)).toMatchObject({ status: 200 })
    const reserved = await stack.drover.post(`/v1/signers/${account.address}/nonces`, { count: 1, ttlMs: 600_000 })
    expect(reserved.status).toBe(201)
    const since = performance.now()
    const id = await stack.send(account.address)
    const [{ id: reservationId }] = reserved.body.items
    await walkSigner(ROWS.reservation, account, id, 'have waited for reserved nonces since', since)
    const { body } = await stack.drover.get(`/v1/transactions/${id}/explain`)
    expect(body.blockedBy).toMatchObject({ type: 'reservation', reservationId })
    const concern = stack.concern('have waited for reserved nonces since')
    expect(await concern.textContent()).toContain(reservationId)
    await concern.getByRole('button', { name: 'Release' }).click()
    await concern.getByLabel('Reason').fill('the holder is gone')
    await concern.getByRole('button', { name: 'Release all' }).click()
    await awaitCalm('have waited for reserved nonces since')
    await awaitMined(id)
  })

  test('then the overview is calm, and was never loaded again', async () => {
    await eventually(
      () => stack.concern('').allTextContents(),
      (concerns) => concerns.length === 0,
    )
    expect(await stack.page.evaluate('window.isFirstLoad')).toBe(true)
  })

  function short({ address }: DevelopmentAccount): string {
    return `${address.slice(0, 6)}…${address.slice(-4)}`
  }
})
