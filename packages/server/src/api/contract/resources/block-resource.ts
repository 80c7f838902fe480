/** The stream of confirmed blocks of a chain. */
import { z } from 'zod'
import { resourceSchemas } from '../api-schemas.ts'
import { hash } from '../values/bytes.ts'
import { instant } from '../values/instant.ts'

const blockNumber = z.int().min(0)

export const blockResource = z.object({ number: blockNumber, hash, parentHash: hash, timestamp: instant })
export type BlockResource = z.infer<typeof blockResource>
resourceSchemas.add(blockResource, { id: 'Block' })

export const blockPage = z.object({
  items: z.array(blockResource).meta({ description: 'Confirmed blocks only, lowest first.' }),
  next: blockNumber
    .nullable()
    .meta({ description: 'Pass it as `after` to get the next page. Null while nothing is confirmed yet.' }),
  from: blockNumber.meta({ description: 'The lowest block that this node still has.' }),
  confirmed: blockNumber.nullable().meta({ description: 'The highest confirmed block. Null if there is none yet.' }),
  gap: z.boolean().meta({ description: 'True if blocks between `after` and the first item are no longer available.' }),
})
export type BlockPage = z.infer<typeof blockPage>
resourceSchemas.add(blockPage, { id: 'BlockPage' })
