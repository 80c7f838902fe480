/** The way of a transaction as a line of five stations. */
import { formatSpan } from '../../format/format-time.ts'
import type { Stage, StageStatus } from '../../words/stages.ts'
import { Clock } from '../figures.tsx'
import { AlertIcon, CheckIcon, CrossIcon } from '../icons.tsx'

const STATUS_WORDS: Readonly<Record<StageStatus, string>> = {
  done: 'done',
  current: 'now',
  stuck: 'stuck here',
  failed: 'went wrong',
  ahead: 'not yet',
  skipped: 'never',
}

export function StageLine({ stages }: { readonly stages: readonly Stage[] }) {
  return (
    <ol class="stages">
      {stages.map((stage, index) => (
        <li
          key={stage.name}
          class={`stage is-${stage.status}`}
          aria-current={stage.status === 'current' || stage.status === 'stuck' ? 'step' : undefined}
        >
          <span class="stage-sign" aria-hidden="true">
            {stage.status === 'done' && <CheckIcon />}
            {stage.status === 'failed' && <CrossIcon />}
            {stage.status === 'stuck' && <AlertIcon />}
          </span>
          <span class="stage-name">
            {stage.name} <span class="sr-only">{STATUS_WORDS[stage.status]}</span>
          </span>
          {stage.note !== null && <span class="stage-note">{stage.note}</span>}
          {stage.at !== null && (
            <span class="stage-time">
              <Clock at={stage.at} />
              <Span from={lastTime(stages, index)} to={stage.at} />
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

/** How long it took since the stage before. */
function Span({ from, to }: { readonly from: string | null; readonly to: string }) {
  if (from === null) return null
  return <span class="muted"> +{formatSpan(Date.parse(to) - Date.parse(from))}</span>
}

function lastTime(stages: readonly Stage[], index: number): string | null {
  return stages.slice(0, index).findLast(({ at }) => at !== null)?.at ?? null
}
