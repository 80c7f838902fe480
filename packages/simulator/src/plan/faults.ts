/** Everything that can go wrong, by the names used in `--faults` and the report. */
export const FAULTS = {
  kill: 'a node dies without a word',
  stop: 'a node stops in order',
  freeze: 'a node stands still for a while, and goes on',
  'db-cut': 'a node cannot reach the database',
  'db-failover': 'the database is away for everybody, then another primary answers',
  'db-commit-fails': 'calls to the database fail before they are done',
  'db-answer-lost': 'calls to the database are done, and nobody says so',
  'db-late': 'calls to the database are done after the node gave up',
  'db-stall': 'calls to the database take long',
  'notice-lost': 'the database loses notices',
  'clock-skew': 'the clocks of nodes are wrong and run at other speeds',
  reorg: 'blocks leave the chain',
  'deep-reorg': 'blocks that counted as final leave the chain; the new ones hold the same transactions',
  eviction: 'a mempool loses its transactions',
  'base-fee': 'the base fee jumps',
  'half-blocks': 'blocks leave out what they could hold',
  'foreign-use': 'somebody else uses the key',
  promises: 'a node shows the block in the making, and the promise is kept or not',
  'rpc-cut': 'a node cannot reach an RPC node',
  'rpc-down': 'an RPC node is not reached',
  'rpc-lost-answer': 'an RPC node does what it is asked, and its answer is lost',
  'rpc-rate-limit': 'an RPC node refuses for its rate',
  'rpc-html': 'an RPC node answers with a page of HTML',
  'rpc-slow': 'an RPC node takes long, up to a time-out',
  'rpc-lag': 'an RPC node is some blocks behind',
  'rpc-split': 'an RPC node stays on an old fork',
  'rpc-not-kept': 'an RPC node says that it took the bytes, and does not keep them',
  'rpc-lies': 'an RPC node says one thing about the bytes and does another',
  'rpc-no-receipt': 'an RPC node lacks receipts of what is in its blocks',
  'rpc-price': 'an RPC node reports prices a thousand times too high',
  'receiver-down': 'a webhook receiver fails, or answers and its answer is lost',
} as const

export type Fault = keyof typeof FAULTS

export const FAULT_NAMES = Object.keys(FAULTS) as readonly Fault[]

export function isFault(name: string): name is Fault {
  return Object.hasOwn(FAULTS, name)
}
