/** Server-sent events out of a stream of bytes, by the rules of the HTML standard, for events that a program may trust. */

export interface ServerEvent {
  readonly event: string
  /** Null: no event, only an id that says how far the stream has come. */
  readonly data: string | null
  /** As sent with this event; null where it had none. */
  readonly id: string | null
}

/** Longer than any event of the service; what is longer still is not such a stream, and would fill the memory. */
const MAX_EVENT_LENGTH = 16 * 1024 * 1024

export interface ServerEventParser {
  /** What is complete with this piece. Throws a RangeError on something without end. */
  feed(bytes: Uint8Array): readonly ServerEvent[]
}

export function createServerEventParser(): ServerEventParser {
  // It also swallows the byte order mark, and waits for characters that are cut in two.
  const decoder = new TextDecoder()
  let rest = ''
  let draft = createDraft()

  /** An event that is not ended by an empty line is incomplete and never told. */
  function take(line: string): ServerEvent | null {
    if (line === '') {
      const event = draft.finish()
      draft = createDraft()
      return event
    }
    draft.add(line)
    return null
  }

  return {
    feed(bytes) {
      rest += decoder.decode(bytes, { stream: true })
      if (rest.length + draft.size() > MAX_EVENT_LENGTH) throw new RangeError('an event of the stream has no end')
      // A carriage return at the very end may be one half of a line's end: its other half decides.
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ''
      return lines.map(take).filter((event) => event !== null)
    },
  }
}

function createDraft() {
  const data: string[] = []
  let [event, id, size] = ['message', null as string | null, 0]
  return {
    size: () => size,
    add(line: string): void {
      size += line.length
      // A comment, such as a heartbeat, begins with its colon and so has an empty name.
      const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === 'data') data.push(value)
      if (name === 'event') event = value
      if (name === 'id' && !value.includes('\0')) id = value
    },
    finish(): ServerEvent | null {
      if (data.length > 0) return { event, data: data.join('\n'), id }
      return id === null ? null : { event, data: null, id }
    },
  }
}
