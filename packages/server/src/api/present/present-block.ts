/** A block header as JSON. */
import type { Header } from '../../core/chain/finality.ts'
import type { BlockResource } from '../contract/resources/block-resource.ts'
import { presentInstant } from '../contract/values/instant.ts'

export function presentBlock({ number, hash, parentHash, timestamp }: Header): BlockResource {
  return { number, hash, parentHash, timestamp: presentInstant(timestamp * 1_000) }
}
