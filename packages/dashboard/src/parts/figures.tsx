/** Amounts and times, each with its exact value on hover. */
import { type Amount as FormattedAmount, formatAmount, formatGasPrice } from '../format/format-amount.ts'
import { formatAge, formatClock } from '../format/format-time.ts'
import { useNow } from '../live/use-now.ts'
import { coinOf } from '../words/chain-names.ts'

export function Amount({ wei, chainId }: { readonly wei: string; readonly chainId: number }) {
  return <Figure amount={formatAmount(BigInt(wei), coinOf(chainId))} />
}

/** With every digit beside it, for screens that cannot hover. */
export function ExactAmount({ wei, chainId }: { readonly wei: string; readonly chainId: number }) {
  const amount = formatAmount(BigInt(wei), coinOf(chainId))
  return (
    <>
      <Figure amount={amount} />
      {amount.unit !== 'wei' && <span class="muted"> = {amount.exact}</span>}
    </>
  )
}

export function GasPrice({ wei }: { readonly wei: string }) {
  return <Figure amount={formatGasPrice(BigInt(wei))} />
}

function Figure({ amount }: { readonly amount: FormattedAmount }) {
  return (
    <span class="figure" title={amount.exact}>
      {amount.isCut && <span class="figure-cut">≈ </span>}
      {amount.text} <span class="unit">{amount.unit}</span>
    </span>
  )
}

export function Age({ at }: { readonly at: string }) {
  const age = formatAge(useNow() - Date.parse(at))
  return (
    <time class="figure" dateTime={at} title={at}>
      {age}
    </time>
  )
}

/** "4 min ago", "just now". */
export function Ago({ at }: { readonly at: string }) {
  const ageMs = useNow() - Date.parse(at)
  return (
    <time class="figure" dateTime={at} title={at}>
      {ageMs < 1_000 ? 'just now' : `${formatAge(ageMs)} ago`}
    </time>
  )
}

export function Clock({ at }: { readonly at: string }) {
  return (
    <time class="figure" dateTime={at} title={at}>
      {formatClock(at, new Date())}
    </time>
  )
}
