/** The request bodies of operator actions. Each needs a reason, which is recorded in the history. */
import { z } from 'zod'
import { requestSchemas } from '../api-schemas.ts'
import { hashInput } from '../values/bytes.ts'
import { textInput } from '../values/text.ts'

export const reasonInput = textInput(500).meta({
  description: 'The reason. Stored in the history, together with who did it.',
})

export const operatorRequest = z.strictObject({ reason: reasonInput })
requestSchemas.add(operatorRequest, { id: 'OperatorRequest' })

export const resolveRequest = z.strictObject({
  reason: reasonInput,
  hash: hashInput.optional().meta({
    description:
      'The transaction that used the nonce. Optional: Drover can find it. It must be final and do the same as this transaction.',
  }),
})
requestSchemas.add(resolveRequest, { id: 'ResolveRequest' })
