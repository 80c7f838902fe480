/** Which node runs a signer, or ran it last, and whether it still reports. */
import { spellTime } from './spell-time.ts'

export interface NodeName {
  readonly nodeId: string
  /** Its machine; null if it does not say. */
  readonly address: string | null
}

export interface SpelledOwner extends NodeName {
  readonly expiresAt: number
  readonly live: boolean
  /** Since when it has not reported, if that is too long. */
  readonly silentSince: number | null
}

/** The machine first: that is where somebody has to look. */
export function nameNode({ nodeId, address }: NodeName): string {
  return address === null ? nodeId : `${address} (${nodeId})`
}

/** Null if all is well. `isKeyHere`: the node that answers has the key; undefined if that is not known. */
export function spellMissingOwner(owner: SpelledOwner | null, isKeyHere: boolean | undefined): string | null {
  if (owner === null) return 'No node is running this signer.'
  const { live, silentSince } = owner
  const [name, end] = [nameNode(owner), spellTime(owner.expiresAt)]
  if (!live) {
    const silence = silentSince === null ? '' : `, and has not reported since ${spellTime(silentSince)}`
    return `No node is running this signer. Node ${name} ran it until its lease ended at ${end}${silence}.`
  }
  if (silentSince === null) return null
  return `Node ${name}, which runs this signer, has not reported since ${spellTime(silentSince)}. Its lease ends at ${end}${spellHeir(isKeyHere)}`
}

/** A node knows only its own keys. */
function spellHeir(isKeyHere: boolean | undefined): string {
  return isKeyHere === false
    ? '. This node does not have the key: if no other node has it, nobody takes over.'
    : ', then a node that has the key takes over.'
}
