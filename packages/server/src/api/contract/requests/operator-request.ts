/** The bodies of what operators may do. No act without a reason: it goes into the history with it. */
import { z } from 'zod'
import { requestSchemas } from '../api-schemas.ts'
import { hashInput } from '../values/bytes.ts'
import { textInput } from '../values/text.ts'

export const reasonInput = textInput(500).meta({ description: 'Why; kept with who did it.' })

export const operatorRequest = z.strictObject({ reason: reasonInput })
requestSchemas.add(operatorRequest, { id: 'OperatorRequest' })

export const resolveRequest = z.strictObject({
  reason: reasonInput,
  hash: hashInput.optional().meta({
    description:
      'The transaction that used the nonce. May be left out: Drover finds it. Either way it must be final and do what this one was to do.',
  }),
})
requestSchemas.add(resolveRequest, { id: 'ResolveRequest' })
