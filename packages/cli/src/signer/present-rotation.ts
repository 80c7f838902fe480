/** What a rotation of the master key did, and what is left to do. */
interface Rotation {
  readonly changed: number
  readonly keyId: string
  readonly scrubbed: boolean
}

export function presentRotation({ changed, keyId, scrubbed }: Rotation): string {
  const done =
    changed === 0
      ? `All keys are under master key ${keyId}.`
      : `Encrypted ${changed === 1 ? '1 key' : `${changed} keys`} again under master key ${keyId}.`
  const next = scrubbed
    ? 'Give the nodes this master key, then destroy the old one.'
    : 'An older database transaction is still open, so old ciphertext may remain. Run this again.'
  return `${done} ${next}`
}
