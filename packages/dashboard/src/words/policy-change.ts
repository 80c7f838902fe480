/** The policy of a signer as it is edited: fields as text, what changes, and what is sent. */
import type { LaneResource } from '../api/api-resources.ts'
import { parseEther } from '../format/parse-ether.ts'

type Policy = LaneResource['policy']

interface PolicyField {
  readonly key: keyof Policy
  readonly label: string
  /** What may be typed. */
  readonly hint: string
  readonly options?: readonly string[]
  show(policy: Policy): string
  /** Undefined: it cannot be read. */
  read(text: string): unknown
}

const NONE = 'none'

const wholeNumber = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)
const seconds = (text: string) => (/^\d{1,9}(?:\.\d{1,3})?$/.test(text) ? Math.round(Number(text) * 1_000) : undefined)
const oneOf = (options: readonly string[]) => (text: string) => (options.includes(text) ? text : undefined)
const orNone = (read: (text: string) => unknown) => (text: string) => (text === NONE ? null : read(text))

function ether(text: string): string | undefined {
  const parsed = parseEther(text)
  return parsed.type === 'amount' ? parsed.wei.toString() : undefined
}

/** Gwei has nine of the eighteen decimals. */
function gwei(text: string): string | undefined {
  const parsed = parseEther(text)
  return parsed.type === 'amount' && parsed.wei % 10n ** 9n === 0n ? (parsed.wei / 10n ** 9n).toString() : undefined
}

const showWei = (wei: string | null) => (wei === null ? NONE : plainDigits(wei, 18))
const showGwei = (wei: string | null) => (wei === null ? NONE : plainDigits(wei, 9))

/** Every digit, without separators: it is typed over. */
function plainDigits(wei: string, decimals: number): string {
  const digits = wei.padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return fraction === '' ? digits.slice(0, -decimals) : `${digits.slice(0, -decimals)}.${fraction}`
}

const PRESETS = ['stable', 'fast']
const REPLACEMENTS = ['never', 'on_order', 'automatic']

export const POLICY_FIELDS: readonly PolicyField[] = [
  {
    key: 'preset',
    label: 'Preset',
    hint: 'sets every field; what you change below goes on top',
    options: PRESETS,
    show: ({ preset }) => preset,
    read: oneOf(PRESETS),
  },
  {
    key: 'maxInFlight',
    label: 'Most in flight',
    hint: 'a whole number, or auto',
    show: ({ maxInFlight }) => String(maxInFlight),
    read: (text) => (text === 'auto' ? 'auto' : wholeNumber(text)),
  },
  {
    key: 'mayReplace',
    label: 'Replace sent transactions',
    hint: 'never, when an operator orders it, or also by itself',
    options: REPLACEMENTS,
    show: ({ mayReplace }) => mayReplace,
    read: oneOf(REPLACEMENTS),
  },
  {
    key: 'resubmitIntervalMs',
    label: 'Resend every',
    hint: 'seconds',
    show: ({ resubmitIntervalMs }) => String(resubmitIntervalMs / 1_000),
    read: seconds,
  },
  {
    key: 'bumpAfterMs',
    label: 'Raise the price after',
    hint: 'seconds',
    show: ({ bumpAfterMs }) => String(bumpAfterMs / 1_000),
    read: seconds,
  },
  {
    key: 'stuckAfterMs',
    label: 'Stuck after',
    hint: 'seconds',
    show: ({ stuckAfterMs }) => String(stuckAfterMs / 1_000),
    read: seconds,
  },
  {
    key: 'maxFeePerGas',
    label: 'Most per gas',
    hint: 'gwei, or none',
    show: ({ maxFeePerGas }) => showGwei(maxFeePerGas),
    read: orNone(gwei),
  },
  {
    key: 'maxTxFee',
    label: 'Most in fees for one transaction',
    hint: 'ETH, or none',
    show: ({ maxTxFee }) => showWei(maxTxFee),
    read: orNone(ether),
  },
  {
    key: 'lowBalance',
    label: 'Balance is low below',
    hint: 'ETH, or none',
    show: ({ lowBalance }) => showWei(lowBalance),
    read: orNone(ether),
  },
  {
    key: 'lowRunway',
    label: 'Balance is low below',
    hint: 'transactions, or none',
    show: ({ lowRunway }) => (lowRunway === null ? NONE : String(lowRunway)),
    read: orNone(wholeNumber),
  },
]

export type PolicyText = Readonly<Record<string, string>>

export function spellPolicy(policy: Policy): PolicyText {
  return Object.fromEntries(POLICY_FIELDS.map(({ key, show }) => [key, show(policy)]))
}

export interface PolicyDiff {
  readonly key: string
  readonly label: string
  readonly hint: string
  readonly from: string
  readonly to: string
  /** What is sent; undefined: it cannot be read. */
  readonly value: unknown
}

export function diffPolicy(policy: Policy, typed: PolicyText): readonly PolicyDiff[] {
  return POLICY_FIELDS.flatMap(({ key, label, hint, show, read }) => {
    const [from, to] = [show(policy), typed[key]?.trim() ?? '']
    return from === to ? [] : [{ key, label, hint, from, to, value: read(to) }]
  })
}

export function formPolicyChange(diff: readonly PolicyDiff[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(diff.map(({ key, value }) => [key, value]))
}
