/** What a key that is limited to some lanes is told of the others: what any node would say. */
import { expect, test } from 'vitest'
import { type Caller, LOCAL_CALLER } from '../core/access/caller.ts'
import { STABLE } from '../core/lane/policy.ts'
import type { SignerRecord } from '../ports/store.ts'
import type { Upstream } from '../ports/upstream.ts'
import { createForwarder } from './forwarder.ts'
import { createLocalMethods } from './local-methods.ts'

const CHAIN_ID = 31_337
const [MINE, THEIRS] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as const
const RECORDS = [MINE, THEIRS].map(
  (signer): SignerRecord => ({
    lane: { chainId: CHAIN_ID, signer },
    policy: STABLE,
    label: null,
    paused: false,
    createdAt: 0,
  }),
)

/** The nodes count 3 for everybody; Drover knows of 9 that are in line. */
function start() {
  const upstream: Pick<Upstream, 'chainId' | 'forward' | 'readPending'> = {
    chainId: CHAIN_ID,
    forward: async (requests) => requests.map(() => ({ type: 'result', result: '0x3' })),
    readPending: async () => null,
  }
  return createLocalMethods({
    store: { findTransactionByHash: async () => null, listSigners: async () => RECORDS },
    upstream: upstream as Upstream,
    forwarder: createForwarder(upstream),
    nextNonces: { read: async () => 9 },
    signers: { peek: ({ signer }) => RECORDS.find(({ lane }) => lane.signer === signer) ?? null },
    ownAddresses: () => [MINE, THEIRS],
  })
}

const call = (method: string, caller: Caller, ...params: readonly unknown[]) => start().get(method)?.(params, caller)
const limited = { ...LOCAL_CALLER, signers: [MINE] }
const elsewhere = { ...LOCAL_CALLER, chains: [CHAIN_ID + 1] }

test.each(['eth_accounts', 'eth_requestAccounts'])('%s lists what the key may use', async (method) => {
  expect(await call(method, LOCAL_CALLER)).toEqual([MINE, THEIRS])
  expect(await call(method, limited)).toEqual([MINE])
  expect(await call(method, elsewhere)).toEqual([])
})

test('the pending count of an account that the key may not use is that of the nodes', async () => {
  const count = (caller: Caller, address: string) => call('eth_getTransactionCount', caller, address, 'pending')
  expect(await count(LOCAL_CALLER, THEIRS)).toBe('0x9')
  expect(await count(limited, MINE)).toBe('0x9')
  expect(await count(limited, THEIRS)).toBe('0x3')
  expect(await count(elsewhere, MINE)).toBe('0x3')
})
