/** A transaction while it is written, checked and sent. Whatever is typed takes back the check and the key for sending. */
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { AbiFunction } from 'viem'
import type { Transfer } from '../../api/api-client.ts'
import type { LaneResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import type { FieldProblems } from '../transaction/place-problem.ts'
import { type CallCheck, checkCall } from './check-call.ts'
import { createIdempotencyKey } from './idempotency-key.ts'
import { type FieldName, formTransfer, type SendOutcome, sendTransfer } from './transfer-draft.ts'

export interface SendDraft {
  /** Place in the list of lanes. */
  readonly lane: number
  readonly to: string
  readonly value: string
  /** A signature or an ABI; empty: a plain transfer. */
  readonly code: string
  /** Which function of the ABI. */
  readonly chosen: number
  readonly args: readonly string[]
}

export interface SendProblems {
  readonly fields: FieldProblems<FieldName>
  readonly code: string | null
  readonly arg: { readonly index: number; readonly message: string } | null
}

const NO_PROBLEMS: SendProblems = { fields: {}, code: null, arg: null }
const EMPTY: SendDraft = { lane: 0, to: '', value: '0', code: '', chosen: 0, args: [] }

export function useSend(lanes: readonly LaneResource[]) {
  const { api, pulse } = useContext(Service)
  const key = useRef(createIdempotencyKey())
  const [draft, setDraft] = useState(EMPTY)
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const [checked, setChecked] = useState<{ readonly transfer: Transfer; readonly check: CallCheck } | null>(null)
  const [outcome, setOutcome] = useState<SendOutcome | null>(null)
  const [isBusy, setBusy] = useState(false)
  const { functions, codeProblem } = useFunctions(draft.code)
  const called = functions[draft.chosen] ?? functions[0] ?? null

  function change(part: Partial<SendDraft>): void {
    key.current = createIdempotencyKey()
    setDraft((before) => ({ ...before, ...part }))
    setProblems(NO_PROBLEMS)
    setChecked(null)
    setOutcome(null)
  }

  async function form(lane: LaneResource): Promise<Transfer | null> {
    const formed = formTransfer(lane.chainId, { from: lane.address, to: draft.to, value: draft.value })
    if ('fields' in formed) {
      setProblems({ ...NO_PROBLEMS, fields: formed.fields })
      return null
    }
    if (draft.code.trim() === '') return formed.transfer
    if (called === null) return null
    const { encodeCall } = await import('./encode-call.ts')
    const encoded = encodeCall(called, draft.args)
    if (encoded.type === 'data') return { ...formed.transfer, data: encoded.data }
    setProblems({ ...NO_PROBLEMS, arg: encoded })
    return null
  }

  async function run(work: () => Promise<void>): Promise<void> {
    if (isBusy) return
    setBusy(true)
    await work().finally(() => setBusy(false))
  }

  const check = () =>
    run(async () => {
      const lane = lanes[draft.lane]
      const transfer = lane === undefined ? null : await form(lane)
      if (lane === undefined || transfer === null) return
      setChecked({ transfer, check: await checkCall(api, transfer, lane) })
    })

  const send = () =>
    run(async () => {
      if (checked === null) return
      const sent = await sendTransfer(() => api.sendTransfer(checked.transfer, key.current))
      setOutcome(sent)
      if (sent.type === 'refused') setProblems({ ...NO_PROBLEMS, fields: sent.fields })
      if (sent.type === 'accepted') key.current = createIdempotencyKey()
      pulse.beatSoon()
    })

  return {
    draft,
    change,
    problems: { ...problems, code: codeProblem },
    functions,
    called,
    checked,
    outcome,
    isBusy,
    check,
    send,
  }
}

/** What the pasted text holds; read by a part of the page that is loaded when there is such a text. */
function useFunctions(code: string) {
  const [functions, setFunctions] = useState<readonly AbiFunction[]>([])
  const [codeProblem, setCodeProblem] = useState<string | null>(null)
  useEffect(() => {
    let isOld = false
    setFunctions([])
    setCodeProblem(null)
    if (code.trim() === '') return
    void import('./encode-call.ts').then(({ readFunctions }) => {
      if (isOld) return
      const read = readFunctions(code)
      if (read.type === 'functions') setFunctions(read.functions)
      else setCodeProblem(read.message)
    })
    return () => {
      isOld = true
    }
  }, [code])
  return { functions, codeProblem }
}
