/** A reference chain with demo actors and a short way to write transactions, for tests. */
import type { Hex } from '../kernel/bytes/hex.ts'
import type { TimerParams } from '../kernel/params/timer-params.ts'
import type { Handlers } from './actor.ts'
import type { BlockResult } from './apply-block.ts'
import { accountOf } from './chain-state.ts'
import { DEMO_HANDLERS } from './demo-actors.ts'
import { createReferenceChain, type ReferenceChain, type ReferenceChainOptions } from './reference-chain.ts'
import type { Action, Transaction } from './transaction.ts'

export const USER: Hex = `0x${'0a'.repeat(20)}`
export const PRODUCER: Hex = `0x${'0f'.repeat(20)}`
export const ACTORS = {
  counter: `0x${'c1'.repeat(20)}`,
  recorder: `0x${'c2'.repeat(20)}`,
  failer: `0x${'c3'.repeat(20)}`,
  burner: `0x${'c4'.repeat(20)}`,
  rescheduler: `0x${'c5'.repeat(20)}`,
  forwarder: `0x${'c6'.repeat(20)}`,
} as const satisfies Record<string, Hex>

export class SmallChain {
  readonly chain: ReferenceChain

  constructor(options: Partial<ReferenceChainOptions> & { params?: Partial<TimerParams>; more?: Handlers } = {}) {
    const { more, ...rest } = options
    const names = Object.fromEntries(Object.entries(ACTORS).map(([name, address]) => [address, name]))
    const rich = 10n ** 18n
    this.chain = createReferenceChain({
      chainId: 7n,
      handlers: { ...DEMO_HANDLERS, ...more },
      balances: Object.fromEntries([USER, ...Object.values(ACTORS)].map((address) => [address, rich])),
      actors: names,
      basefees: { cycles: 10n, cells: 10n },
      governors: [USER],
      ...rest,
    })
  }

  tx(action: Action, terms: Partial<Transaction> = {}): Transaction {
    const from = terms.from ?? USER
    const nonce = accountOf(this.chain.head.world, from).nonce
    return { nonce, cyclesLimit: 50_000n, cellsLimit: 10_000n, ...terms, from, action }
  }

  /** Appends a block with these actions of one sender, in order. */
  block(...actions: (Action | Transaction)[]): BlockResult {
    let nonce = accountOf(this.chain.head.world, USER).nonce
    const transactions = actions.map((each) => {
      if ('action' in each) return each
      nonce += 1n
      return this.tx(each, { nonce: nonce - 1n })
    })
    return this.chain.append({ producer: PRODUCER, transactions })
  }

  idle(blocks: number): BlockResult[] {
    return Array.from({ length: blocks }, () => this.block())
  }

  balance(address: Hex): bigint {
    return accountOf(this.chain.head.world, address).balance
  }

  storage(actor: Hex, key: Hex): Hex | null {
    return this.chain.head.world.storage.get(`${actor}${key.slice(2)}`) ?? null
  }

  /** Everything there is: balances and what was burned; escrows never outlive a block. */
  supply(): bigint {
    const { world, burned } = this.chain.head
    return [...world.accounts.values()].reduce((sum, { balance }) => sum + balance, burned)
  }
}

export function setTimerAction(target: Hex, args: Record<string, unknown>): Action {
  const kind = 'dueHeight' in args ? 'HEIGHT' : 'everyBlocks' in args ? 'INTERVAL' : 'STATE_WATCH'
  return { type: 'set_timer', args: { kind, target, payload: '0x', gasLimit: 10_000n, ...args } } as unknown as Action
}
