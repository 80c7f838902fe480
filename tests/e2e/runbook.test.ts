/**
 * Entries of docs/runbook.md, followed step by step with the commands that they name, on a running service. Each trouble is
 * brought about, its alert fires in a real Prometheus, its commands say what the entry promises, and afterwards the signer
 * works again.
 */
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type FakeRemoteSigner,
  startFakeRemoteSigner,
} from '../../packages/server/src/testing/signer/fake-remote-signer.ts'
import { developmentAccount } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import { eventually } from '../setup/eventually.ts'
import { type Prometheus, startPrometheus } from '../setup/prometheus.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { drop } from '../setup/rpc-reactions.ts'
import { startService, type TestService } from '../setup/service.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../setup/webhook-receiver.ts'

const SEND = 'eth_sendRawTransaction'
/** A signer for each trouble, so that none is in the way of another. */
const [STUCK, FOREIGN, POOR, CAPPED, RESERVED, BUSY, PAUSED, PLAIN] = [0, 1, 2, 3, 4, 5, 6, 7].map(developmentAccount)
/** Its key is in a key store of its own. */
const KEPT = developmentAccount(8)

let service: TestService
let proxy: RpcProxy
let receiver: WebhookReceiver
let keyStore: FakeRemoteSigner
let prometheus: Prometheus

beforeAll(async () => {
  receiver = await startWebhookReceiver()
  keyStore = await startFakeRemoteSigner([KEPT.privateKey], { isSecure: false })
  service = await startService({
    signers: [STUCK, FOREIGN, POOR, CAPPED, RESERVED, BUSY, PAUSED, PLAIN].flatMap((each) => each ?? []),
    env: {
      DROVER_REMOTE_SIGNER_URL: keyStore.url,
      DROVER_FINALITY: '2',
      DROVER_RESUBMIT_INTERVAL: '1s',
      DROVER_STUCK_AFTER: '2s',
      DROVER_WEBHOOK_ALLOW_PRIVATE: 'true',
      DROVER_WEBHOOK_RETRY_INTERVAL: '100ms',
    },
    rpcUrl: async (chain) => {
      proxy = await startRpcProxy(chain.rpcUrl)
      return proxy.url
    },
  })
  // What would take minutes, or money, is a matter of seconds here.
  const limits = {
    DroverBacklog: ['> 600', '> 1'],
    DroverWebhookLate: ['> 300', '> 1'],
    DroverFeeSpend: ['> 1', '> 0'],
  } as const
  prometheus = await startPrometheus({ limits })
  await prometheus.watch([service.drover.url])
})

afterAll(async () => {
  await prometheus?.stop()
  await service?.stop()
  await keyStore?.stop()
  await proxy?.stop()
  await receiver?.stop()
})

/** Runs a command as the runbook has it, and returns what it prints. */
async function run(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await startCli(args, { env: { DROVER_URL: service.drover.url } }).ended
  expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, expect.any(String)])
  return stdout
}

const addressOf = (account: typeof PLAIN): string => account?.address ?? ''

async function send(from: typeof PLAIN, intent: object = {}): Promise<string> {
  const body = { from: addressOf(from), to: developmentAccount(9).address, value: '1', ...intent }
  const answer = await service.drover.post('/v1/transactions', body)
  expect(answer).toMatchObject({ status: 202 })
  return answer.body.id
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the API
const read = async (id: string): Promise<any> => (await service.drover.get(`/v1/transactions/${id}`)).body
const until = async (id: string, ...states: readonly string[]) =>
  await eventually(
    () => read(id),
    ({ state, subState }) => states.includes(state) || states.includes(subState),
  )

async function mineUntil(id: string, ...states: readonly string[]): Promise<void> {
  const mineAndRead = async () => {
    await service.chain.mine(1)
    return await read(id)
  }
  await eventually(mineAndRead, ({ state, subState }) => states.includes(state) || states.includes(subState), {
    everyMs: 150,
  })
}

test('Stuck', async () => {
  const heal = proxy.on(SEND, drop({ forward: false }))
  const id = await send(STUCK)
  await mineUntil(id, 'STUCK')
  heal()
  await prometheus.untilFired('DroverTransactionStuck', 'stuck')
  expect(await run('tx', 'list', '--state', 'STUCK')).toContain('STUCK')
  const said = await run('tx', 'explain', id)
  expect(said).toMatch(/speed-up/)
  expect(said).toContain('runbook.md#stuck')
  await run('tx', 'speed-up', id, '--reason', 'the runbook says so')
  await mineUntil(id, 'CONFIRMED')
})

test('Foreign nonce', async () => {
  const heal = proxy.on(SEND, drop({ forward: false }))
  const id = await send(FOREIGN)
  const { nonce } = await until(id, 'ALLOCATED')
  const raw = await privateKeyToAccount(FOREIGN?.privateKey ?? '0x').signTransaction({
    chainId: 31337,
    nonce,
    gas: 21_000n,
    to: developmentAccount(8).address,
    maxFeePerGas: 50_000_000_000n,
    maxPriorityFeePerGas: 2_000_000_000n,
  })
  const foreign = await service.chain.rpc<string>(SEND, [raw])
  await service.chain.mine(1)
  heal()
  await mineUntil(id, 'foreign_nonce')
  await prometheus.untilFired('DroverForeignNonce', 'foreign-nonce')
  const said = await run('tx', 'explain', id)
  expect(said).toContain(foreign)
  expect(said).toContain('runbook.md#foreign-nonce')
  await run('tx', 'requeue', id, '--reason', 'the key is only ours again')
  await mineUntil(id, 'CONFIRMED')
})

test('Out of funds, and Balance low', async () => {
  await service.chain.setBalance(addressOf(POOR), 0n)
  // A simulation at the current state would refuse it before it is stored.
  const id = await send(POOR, { simulate: false })
  await until(id, 'waiting_for_funds')
  await prometheus.untilFired('DroverOutOfFunds', 'out-of-funds')
  expect(await run('tx', 'explain', id)).toContain('runbook.md#out-of-funds')
  const shown = await eventually(
    () => run('signer', 'show', addressOf(POOR)),
    (text) => /balance\s+0/.test(text),
  )
  expect(shown).toMatch(/runway/)
  await service.chain.setBalance(addressOf(POOR), 10n ** 18n)
  await mineUntil(id, 'CONFIRMED')
  const problems = async () => (await service.drover.get(`/v1/signers/${addressOf(POOR)}`)).body.lanes[0].problems
  const cost = await service.chain.rpc<string>('eth_gasPrice', []).then((price) => BigInt(price) * 21_000n)
  await service.chain.setBalance(addressOf(POOR), 50n * cost)
  await run('signer', 'policy', addressOf(POOR), '--low-runway', '100')
  await mineUntil(await send(POOR), 'CONFIRMED')
  await prometheus.untilFired('DroverBalanceLow', 'balance-low')
  await run('signer', 'policy', addressOf(POOR), '--low-runway', '5')
  await service.chain.setBalance(addressOf(POOR), 10n ** 18n)
  await mineUntil(await send(POOR), 'CONFIRMED')
  await eventually(problems, (left) => left.length === 0)
})

test('Fee above cap', async () => {
  await run('signer', 'policy', addressOf(CAPPED), '--max-fee', '1wei')
  const id = await send(CAPPED)
  await until(id, 'fee_above_cap')
  await prometheus.untilFired('DroverFeeAboveCap', 'fee-above-cap')
  expect(await run('tx', 'explain', id)).toContain('runbook.md#fee-above-cap')
  await run('signer', 'policy', addressOf(CAPPED), '--max-fee', '1000gwei')
  await run('signer', 'policy', addressOf(CAPPED), '--max-tx-fee', '1ether')
  await mineUntil(id, 'CONFIRMED')
})

test('Blocked by reservation', async () => {
  const reserved = await service.drover.post(`/v1/signers/${addressOf(RESERVED)}/nonces`, { ttlMs: 600_000 })
  expect(reserved.status).toBe(201)
  const id = await send(RESERVED)
  await prometheus.untilFired('DroverBlockedByReservation', 'blocked-by-reservation')
  const { id: reservation } = reserved.body.items[0]
  expect(await run('signer', 'reservations', addressOf(RESERVED))).toContain(reservation)
  await run('signer', 'release-reservations', addressOf(RESERVED), '--reason', 'nobody uses it')
  await mineUntil(id, 'CONFIRMED')
})

test('Backlog', async () => {
  const [first, second] = [await send(BUSY), await send(BUSY)]
  await until(first, 'TRACKING')
  await prometheus.untilFired('DroverBacklog', 'backlog')
  const listed = await run('tx', 'list', '--state', 'QUEUED,ALLOCATED,TRACKING', '--oldest-first')
  expect(listed.indexOf('TRACKING')).toBeGreaterThan(-1)
  expect(await run('tx', 'explain', second)).toMatch(/slot|ahead/)
  // Only one at a time: let it send ahead.
  await run('signer', 'policy', addressOf(BUSY), '--preset', 'fast')
  await until(second, 'TRACKING')
  await run('signer', 'policy', addressOf(BUSY), '--may-replace', 'automatic')
  await run('tx', 'speed-up', first, '--reason', 'the price is the reason')
  await mineUntil(second, 'CONFIRMED')
  await mineUntil(first, 'CONFIRMED')
})

test('Fee spend: a signer is stopped', async () => {
  await prometheus.untilFired('DroverFeeSpend', 'fee-spend')
  await run('signer', 'pause', addressOf(PAUSED), '--reason', 'it spends too much')
  const id = await send(PAUSED)
  expect(await run('signer', 'show', addressOf(PAUSED))).toMatch(/status\s+paused/)
  expect(await run('tx', 'explain', id)).toContain('is paused')
  await run('signer', 'policy', addressOf(PAUSED), '--max-tx-fee', '0.01ether')
  await run('signer', 'resume', addressOf(PAUSED), '--reason', 'it may go on')
  await mineUntil(id, 'CONFIRMED')
})

test('Nonce drift: both counts are shown, and a reset without anything in flight works', async () => {
  const id = await send(PLAIN)
  await mineUntil(id, 'CONFIRMED')
  expect(await run('signer', 'show', addressOf(PLAIN))).toMatch(/chain count\s+latest \d+, pending \d+/)
  await run('signer', 'reset-nonce', addressOf(PLAIN), '--reason', 'after a restore')
  await mineUntil(await send(PLAIN), 'CONFIRMED')
})

test('Node down: who runs a signer', async () => {
  expect(await run('signer', 'list')).toContain('idle')
  expect(await run('signer', 'show', addressOf(PLAIN))).toMatch(/owner\s+\S+/)
})

test('Key unavailable', async () => {
  keyStore.setAway(true)
  const id = await send(KEPT)
  await until(id, 'waiting_for_key')
  await prometheus.untilFired('DroverKeyStoreDown', 'key-unavailable')
  await prometheus.untilFired('DroverKeyUnavailable', 'key-unavailable')
  expect(await run('tx', 'explain', id)).toContain('runbook.md#key-unavailable')
  const { body } = await service.drover.get('/readyz')
  expect(JSON.stringify(body)).toContain('key store remote')
  const away = await startCli(['signer', 'verify', KEPT.address], { env: { DROVER_URL: service.drover.url } }).ended
  expect(away.code).not.toBe(0)
  keyStore.setAway(false)
  await mineUntil(id, 'CONFIRMED')
  expect(await run('signer', 'verify', KEPT.address)).toMatch(/verified|signed/i)
})

test('Chain unreachable, and RPC endpoint: the list names the endpoint with its error', async () => {
  proxy.setDown(true)
  const { host } = new URL(proxy.url)
  await prometheus.untilFired('DroverChainUnreachable', 'chain-unreachable')
  await prometheus.untilFired('DroverRpcEndpointDown', 'rpc-endpoint')
  const listed = await eventually(
    () => run('chain', 'list'),
    (text) => text.includes('failing'),
  )
  expect(listed).toContain(host)
  proxy.setDown(false)
  await eventually(
    async () => (await service.drover.get('/readyz')).status,
    (status) => status === 200,
  )
})

test('Webhook', async () => {
  receiver.answerWith(() => ({ status: 500 }))
  const added = await service.drover.post('/v1/webhooks', { url: `${receiver.url}/hook` })
  expect(added.status).toBe(201)
  const { id } = added.body
  await mineUntil(await send(PLAIN), 'CONFIRMED')
  await prometheus.untilFired('DroverWebhookLate', 'webhook')
  receiver.answerWith(() => ({ status: 410 }))
  await prometheus.untilFired('DroverWebhookDisabled', 'webhook')
  await eventually(
    () => run('webhook', 'list'),
    (text) => /disabled|off/.test(text),
  )
  expect(await run('webhook', 'deliveries', id)).toContain('410')
  receiver.answerWith(() => ({ status: 200 }))
  const before = receiver.received.length
  await run('webhook', 'change', id, '--on')
  // What was not delivered comes, in order.
  await eventually(
    async () => receiver.received.length,
    (count) => count > before,
  )
})
