/** Throughput, latency, base fee and depth of the queue, live, over a range of time that can be chosen. */
import { useContext, useRef, useState } from 'preact/hooks'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { ChainResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { formatSpan } from '../../format/format-time.ts'
import { Service } from '../../live/service.ts'
import type { TimeSeries } from '../../live/time-series.ts'
import { useNow } from '../../live/use-now.ts'
import { useResource } from '../../live/use-resource.ts'
import { nameChain } from '../../words/chain-names.ts'
import { Freshness } from '../freshness.tsx'
import { ChartTile, type Plotted } from './chart-tile.tsx'
import type { Line } from './line-chart.tsx'

const RANGES = [
  { name: '5 min', ms: 300_000, buckets: 100 },
  { name: '15 min', ms: 900_000, buckets: 150 },
  { name: '1 h', ms: 3_600_000, buckets: 120 },
] as const

export function Charts({ chains }: { readonly chains: readonly ChainResource[] }) {
  const { hub, board } = useContext(Service)
  const [range, setRange] = useState<(typeof RANGES)[number]>(RANGES[0])
  const now = useNow()
  const [chain] = chains
  useFeeNotes(chain)
  const read = (series: TimeSeries) => series.read(now, range.ms, range.buckets)
  const width = range.ms / 1_000 / range.buckets
  const times = Array.from({ length: range.buckets }, (_, index) => now / 1_000 - (range.buckets - 1 - index) * width)
  return (
    <section class="charts" aria-label="Figures over time">
      <div class="charts-head">
        <fieldset class="segments">
          <legend class="sr-only">Time range</legend>
          {RANGES.map((each) => (
            <button type="button" key={each.name} aria-pressed={each === range} onClick={() => setRange(each)}>
              {each.name}
            </button>
          ))}
        </fieldset>
        <Freshness />
      </div>
      <div class="tiles">
        <ChartTile
          title="Throughput"
          times={times}
          plotted={[
            { name: 'accepted', line: read(hub.series.accepted) },
            { name: 'mined', line: read(hub.series.mined) },
          ]}
          format={formatRate}
        />
        <ChartTile
          title="Time from acceptance"
          times={times}
          plotted={[
            { name: 'mined', line: read(hub.series.toMined) },
            { name: 'final', line: read(hub.series.toFinal) },
          ]}
          format={(seconds) => formatSpan(seconds * 1_000)}
        />
        <ChartTile
          title="Waiting"
          times={times}
          plotted={[
            { name: 'queued', line: read(board.queued) },
            { name: 'in flight', line: read(board.inFlight) },
          ]}
          format={(count) => formatCount(Math.round(count))}
        />
        <ChartTile
          title={chain === undefined || chains.length === 1 ? 'Base fee' : `Base fee on ${nameChain(chain.chainId)}`}
          times={times}
          plotted={[inReadableUnit(read(board.baseFee))]}
          format={formatPrice}
        />
      </div>
    </section>
  )
}

/** Test chains ask for a few wei. */
function inReadableUnit(gwei: Line): Plotted {
  const isTiny = Math.max(...gwei.map((value) => value ?? 0)) < 1e-4
  return isTiny
    ? { name: 'wei', line: gwei.map((value) => (value === null ? null : value * 1e9)) }
    : { name: 'gwei', line: gwei }
}

/** Without an exponent: a chain whose price fell from gwei to wei is still on the axis in gwei. */
function formatPrice(price: number): string {
  return price > 0 && price < 1e-6 ? '<0.000001' : String(Number(price.toPrecision(4)))
}

function formatRate(perSecond: number): string {
  return `${perSecond >= 10 ? formatCount(Math.round(perSecond)) : Number(perSecond.toFixed(1))}/s`
}

/** Asked for once a block, and only while the charts are on screen. */
function useFeeNotes(chain: ChainResource | undefined): void {
  const { api, board } = useContext(Service)
  const head = useRef<number | null>(null)
  const asked = useRef<number | null>(null)
  head.current = chain?.head?.number ?? null
  useResource(`fees ${chain?.chainId}`, async (previous: true | null) => {
    if (chain === undefined || head.current === null || head.current === asked.current) return previous ?? true
    asked.current = head.current
    try {
      board.noteFees(Date.now(), await api.readFees(chain.chainId))
    } catch (error) {
      // A chain that cannot be asked is named elsewhere; the next block asks again.
      if (!(error instanceof ServiceAway || error instanceof ApiProblem)) throw error
    }
    return true
  })
}
