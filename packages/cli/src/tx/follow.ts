/** Shows transactions on their way: redrawn in place on a terminal, a line for each change elsewhere, JSON lines for programs. */
import { assessWait, type Stage, type Transaction } from '@drover/client'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { createLiveArea } from '../output/live-area.ts'
import { Interrupted, type Session } from '../service/service-session.ts'
import { presentStepLine, presentSteps, stateCell } from './present-transaction.ts'
import { listSteps } from './stages.ts'
import { watchTransactions } from './watch-transactions.ts'

export interface FollowRequest {
  readonly first: readonly Transaction[]
  readonly until: Stage
  readonly timeoutMs: number | null
  /** `changes`: every one, as a line. `end`: only the outcome, as one document. */
  readonly json: 'changes' | 'end'
}

export async function followTransactions(session: Session, request: FollowRequest): Promise<ExitCode> {
  const view = session.json ? jsonView(session, request) : createView(session, request)
  let last = request.first
  try {
    const end = await watchTransactions(
      {
        drover: session.drover,
        signal: session.signal,
        onChange(all, changed) {
          last = all
          view.show(all, changed)
        },
        onOutage: (error) => session.note(`${error.code}: ${error.detail} Retrying.`),
      },
      request,
    )
    view.close(last)
    if (end === 'timed_out') session.note(`Not ${request.until} in time. ${sayThatItGoesOn(session, last, request)}`)
    if (end === 'failed') adviseOnFailure(session, last, request)
    return { reached: EXIT.ok, failed: EXIT.transactionFailed, timed_out: EXIT.timedOut }[end]
  } catch (error) {
    view.close(last)
    if (error instanceof Interrupted) session.note(sayThatItGoesOn(session, last, request))
    throw error
  }
}

interface View {
  show(all: readonly Transaction[], changed: readonly Transaction[]): void
  close(last: readonly Transaction[]): void
}

function jsonView(session: Session, { json }: FollowRequest): View {
  const print = (tx: Transaction) => session.print(tx, () => '')
  return {
    show: (_, changed) => json === 'changes' && changed.forEach(print),
    close: (last) => json === 'end' && last.forEach(print),
  }
}

function createView(session: Session, { until }: FollowRequest): View {
  const { terminal, style } = session
  if (style.width === null) return lineView(session)
  const area = createLiveArea(terminal.stdout)
  return {
    show(all) {
      const only = all.length === 1 ? all[0] : undefined
      area.draw(only === undefined ? all.map((tx) => presentOne(tx, style)) : presentSteps(only, until, style))
    },
    close: () => area.close(),
  }
}

/** The same step twice is said once, however the rest of the transaction changed in between. */
function lineView(session: Session): View {
  const said = new Map<string, string>()
  return {
    show(_, changed) {
      for (const tx of changed) {
        const step = listSteps(tx).findLast(({ reached }) => reached)?.name ?? ''
        const key = `${tx.state} ${tx.subState} ${step}`
        if (said.get(tx.id) === key) continue
        said.set(tx.id, key)
        session.print(tx, () => presentStepLine(tx))
      }
    },
    close: () => undefined,
  }
}

function presentOne(tx: Transaction, style: Session['style']): string {
  const { text, colour } = stateCell(tx)
  const last = listSteps(tx).findLast(({ reached }) => reached)
  return `${tx.id}  ${style.paint(colour ?? 'bold', text)}  ${last?.name ?? ''} ${last?.name === 'accepted' ? '' : last?.detail}`
}

function sayThatItGoesOn({ url }: Session, last: readonly Transaction[], { until }: FollowRequest): string {
  const open = last.filter((tx) => assessWait(tx, until) === 'waiting').map(({ id }) => id)
  const what = open.length === 1 ? 'The transaction continues' : `${open.length} transactions continue`
  return `${what} without this command. To watch again: drover tx watch ${open.join(' ')} --url ${url}`
}

function adviseOnFailure(session: Session, last: readonly Transaction[], { until }: FollowRequest): void {
  if (session.json) return
  for (const tx of last.filter((one) => assessWait(one, until) === 'failed')) {
    if (tx.state === 'STUCK') session.note(`See what you can do: drover tx explain ${tx.id}`)
  }
}
