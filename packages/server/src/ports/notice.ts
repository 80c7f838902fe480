/** What the nodes tell each other through the store. */
import type { Lane } from '../core/lane/lane.ts'
import type { TxId } from '../core/transaction/transaction.ts'

export type Notice =
  | { readonly type: 'lane.work'; readonly lane: Lane }
  /** An operator changed this transaction: the owner of its lane must read it again. Null: it is not known which. */
  | { readonly type: 'lane.amended'; readonly lane: Lane; readonly txId: TxId | null }
  /** Something is asked of the lane's owner: a nonce for a caller, a reset. */
  | { readonly type: 'lane.asked'; readonly lane: Lane }
  | { readonly type: 'lane.released'; readonly lane: Lane }
  | { readonly type: 'nodes.changed' }
  | { readonly type: 'events.appended' }
  /** There may be something new to do for webhooks. */
  | { readonly type: 'webhooks.changed' }
  /** The node that runs a chain's timers got a command, has answered one, or no node runs them now. */
  | { readonly type: 'timers.asked' | 'timers.answered' | 'timers.released'; readonly chainId: number }
  /** A key was revoked: what lasts longer than a request has to be looked at again. */
  | { readonly type: 'keys.changed' }
  /** A signer's key in the database was added, removed or encrypted again. */
  | { readonly type: 'signer-keys.changed' }
  /** Rules were set or removed. */
  | { readonly type: 'rules.changed' }
  /** Notices may have been lost (connection lost): look at everything once. */
  | { readonly type: 'gap' }
