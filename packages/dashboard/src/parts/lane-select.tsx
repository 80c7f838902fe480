/** Chooses a signer on a chain; the value is its place in the list. */
import type { LaneResource } from '../api/api-resources.ts'
import { shortenAddress } from '../format/shorten.ts'
import { nameChain } from '../words/chain-names.ts'
import type { Control } from './form-field.tsx'

interface LaneSelectProps {
  readonly control: Control
  readonly lanes: readonly LaneResource[]
  readonly chosen: number
  onChoose(index: number): void
}

export function LaneSelect({ control, lanes, chosen, onChoose }: LaneSelectProps) {
  return (
    <select
      class="select"
      {...control}
      value={chosen}
      onChange={(event) => onChoose(Number(event.currentTarget.value))}
    >
      {lanes.map(({ address, label, chainId }, index) => (
        <option key={`${chainId}:${address}`} value={index}>
          {label ?? shortenAddress(address)} on {nameChain(chainId)}
        </option>
      ))}
    </select>
  )
}
