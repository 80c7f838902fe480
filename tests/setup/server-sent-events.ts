/** Reads Server-Sent Events from a response, block by block, as the standard has it; nothing of the product's own client. */
export interface SentEvent {
  readonly id: string
  readonly type: string
  readonly data: string
}

/** Ends when the response does; throws what broke it. Blocks without data move the id on and are not told. */
export async function* readServerSentEvents(response: Response): AsyncGenerator<SentEvent> {
  let text = ''
  let id = ''
  for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = new Map(text.slice(0, end).split('\n').map(parseField))
      text = text.slice(end + 2)
      id = fields.get('id') ?? id
      const data = fields.get('data')
      if (data !== undefined) yield { id, type: fields.get('event') ?? 'message', data }
    }
  }
}

function parseField(line: string): [string, string] {
  const [name = '', ...rest] = line.split(': ')
  return [name, rest.join(': ')]
}
