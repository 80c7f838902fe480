/** The intents of a batch, ready to send, in parts that the service accepts. */
import { DroverError } from '../transport/drover-error.ts'
import { serializeBody } from '../transport/serialize-body.ts'
import { type Intent, toRequest } from './intent.ts'

/** What the service accepts at once, minus some room for the JSON around the intents. */
const [MAX_ITEMS, MAX_BYTES] = [1_000, 7_500_000]

export interface BatchItem {
  readonly place: number
  readonly body: ReturnType<typeof toRequest>
  /** In bytes. */
  readonly size: number
}

/** Throws if an intent is invalid, with its position. */
export function prepareItem(intent: Intent, place: number): BatchItem {
  const body = toRequest(intent)
  try {
    return { place, body, size: new TextEncoder().encode(serializeBody(body)).length + 1 }
  } catch (error) {
    if (!(error instanceof DroverError)) throw error
    const field = `transactions[${place}].${error.field}`
    throw new DroverError({ code: error.code, detail: `transactions[${place}]: ${error.detail}`, field })
  }
}

export function splitItems(items: readonly BatchItem[]): readonly (readonly BatchItem[])[] {
  const parts: BatchItem[][] = []
  let size = MAX_BYTES
  for (const item of items) {
    const last = parts.at(-1)
    size += item.size
    if (last === undefined || last.length === MAX_ITEMS || size > MAX_BYTES) {
      parts.push([item])
      size = item.size
    } else last.push(item)
  }
  return parts
}
