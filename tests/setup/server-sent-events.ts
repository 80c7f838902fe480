/** Reads Server-Sent Events from a response as the standard says, without using Drover's own client. */
export interface SentEvent {
  readonly id: string
  readonly type: string
  readonly data: string
}

/** Ends with the response, and throws if it breaks. Blocks without data move the id and are not returned. */
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
