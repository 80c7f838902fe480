/** The contract of the HTTP API, for programs that check a request before they send it. */
export { ruleSetRequest } from '../api/contract/requests/rules-request.ts'
export { transactionRequest } from '../api/contract/requests/transaction-request.ts'
export type { ApiKeyResource } from '../api/contract/resources/api-key-resource.ts'
export { checksumText } from '../api/contract/values/address.ts'
export { parseInput } from '../api/parse-input.ts'
