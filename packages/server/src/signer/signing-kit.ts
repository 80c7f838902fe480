/** What signing takes: the curve and the hash, as fast as this machine allows. */
import { type Curve, JAVASCRIPT_CURVE, openCurve } from './curve.ts'
import { JAVASCRIPT_KECCAK, type Keccak, openKeccak } from './keccak.ts'

export interface SigningKit {
  readonly curve: Curve
  readonly keccak: Keccak
}

export const JAVASCRIPT_KIT: SigningKit = { curve: JAVASCRIPT_CURVE, keccak: JAVASCRIPT_KECCAK }

export async function openSigningKit(): Promise<SigningKit> {
  const [curve, keccak] = await Promise.all([openCurve(), openKeccak()])
  return { curve, keccak }
}

export function describeKit({ curve, keccak }: SigningKit): string {
  return `secp256k1: ${curve.name}; keccak: ${keccak.name}`
}
