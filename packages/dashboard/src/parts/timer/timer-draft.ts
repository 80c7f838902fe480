/** A timer as it is typed, and as it is sent. The service checks the rest and says what is wrong. */
import type { LaneResource } from '../../api/api-resources.ts'
import type { NewTimer } from '../../api/timer-calls.ts'

export interface TimerDraft {
  /** Place in the list of lanes. */
  readonly lane: number
  readonly name: string
  readonly to: string
  readonly type: 'timeout' | 'interval' | 'watch'
  readonly blocks: string
  readonly event: string
  readonly signature: string
  readonly args: string
}

export function formTimer(
  draft: TimerDraft,
  { chainId, address }: Pick<LaneResource, 'chainId' | 'address'>,
): { readonly timer: NewTimer } | { readonly problem: string } {
  const { type, to, name, blocks, event, signature, args } = draft
  const parsed = parseList(args)
  if (parsed === null) return { problem: 'The arguments must be a JSON list, such as ["0x12…", 5].' }
  if (type !== 'watch' && !/^[1-9]\d{0,9}$/.test(blocks.trim())) {
    return { problem: 'Blocks must be a whole number from 1.' }
  }
  const schedule =
    type === 'watch'
      ? { type, contract: to.trim(), ...(event.trim() !== '' && { event: event.trim() }) }
      : { type, blocks: Number(blocks) }
  const timer: NewTimer = {
    chainId,
    from: address,
    to: to.trim(),
    schedule,
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(signature.trim() !== '' && { call: { function: signature.trim(), args: parsed } }),
  }
  return { timer }
}

function parseList(text: string): readonly unknown[] | null {
  try {
    const parsed: unknown = JSON.parse(text.trim() === '' ? '[]' : text)
    return Array.isArray(parsed) ? parsed : null
  } catch {
    return null
  }
}
