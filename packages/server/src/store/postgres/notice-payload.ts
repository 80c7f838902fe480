/** The wire format of wake-ups: one channel, small JSON texts. */
import { isAddress } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { TxId } from '../../core/transaction/transaction.ts'
import type { Notice } from '../../ports/notice.ts'

export const CHANNEL = 'drover'

export const EVENTS_APPENDED = '{"type":"events.appended"}'
export const WEBHOOKS_CHANGED = '{"type":"webhooks.changed"}'
export const KEYS_CHANGED = '{"type":"keys.changed"}'
export const SIGNER_KEYS_CHANGED = '{"type":"signer-keys.changed"}'
export const RULES_CHANGED = '{"type":"rules.changed"}'
export const NODES_CHANGED = '{"type":"nodes.changed"}'

export function laneNotice(type: 'lane.work' | 'lane.asked' | 'lane.released', lane: Lane): string {
  return JSON.stringify({ type, chainId: lane.chainId, signer: lane.signer })
}

export function amendNotice({ chainId, signer }: Lane, txId: TxId): string {
  return JSON.stringify({ type: 'lane.amended', chainId, signer, txId })
}

export function timersNotice(type: 'timers.asked' | 'timers.answered' | 'timers.released', chainId: number): string {
  return JSON.stringify({ type, chainId })
}

/** Null for notices that this version does not know: a newer node may send more, and notices are only hints. */
export function parseNotice(payload: string): Notice | null {
  const told = parseObject(payload)
  switch (told?.type) {
    case 'nodes.changed':
    case 'events.appended':
    case 'webhooks.changed':
    case 'keys.changed':
    case 'signer-keys.changed':
    case 'rules.changed':
      return { type: told.type }
    case 'timers.asked':
    case 'timers.answered':
    case 'timers.released':
      return typeof told.chainId === 'number' ? { type: told.type, chainId: told.chainId } : null
    case 'lane.work':
    case 'lane.amended':
    case 'lane.asked':
    case 'lane.released': {
      const { type, chainId, signer, txId } = told
      if (typeof chainId !== 'number' || typeof signer !== 'string' || !isAddress(signer)) return null
      const lane = { chainId, signer }
      return type === 'lane.amended' ? { type, lane, txId: typeof txId === 'string' ? txId : null } : { type, lane }
    }
    default:
      return null
  }
}

function parseObject(payload: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(payload)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch (error) {
    // Any client of the database can notify on the channel, so a foreign payload is not our error.
    if (error instanceof SyntaxError) return null
    throw error
  }
}
