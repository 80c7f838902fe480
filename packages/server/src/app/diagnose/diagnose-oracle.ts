/** Whether the gas oracle answers, and what Drover reads in its answer. */
import { getOracle, type OracleSettings } from '../../chain/oracle/gas-oracle.ts'
import { BadQuote, readQuote } from '../../chain/oracle/read-quote.ts'
import { formatGwei } from '../../core/amount.ts'
import { type Finding, failed, ok } from './finding.ts'

const FIX =
  'fix DROVER_GAS_ORACLE_URL, DROVER_GAS_ORACLE_FIELDS or DROVER_GAS_ORACLE_UNIT; until then RPC nodes set prices'

export async function diagnoseOracle(settings: OracleSettings): Promise<readonly Finding[]> {
  const check = `gas oracle ${new URL(settings.url).host}`
  const answer = await getOracle(settings)
  if (answer.type === 'failed') return [failed(check, answer.reason, FIX)]
  try {
    const { maxFeePerGas, priorityFeePerGas } = readQuote(answer.body, settings.fields, settings.unit)
    const said = [
      ...(maxFeePerGas === null ? [] : [`max fee ${formatGwei(maxFeePerGas)}`]),
      ...(priorityFeePerGas === null ? [] : [`tip ${formatGwei(priorityFeePerGas)}`]),
    ]
    return [ok(check, said.join(', '))]
  } catch (error) {
    if (error instanceof BadQuote) return [failed(check, error.message, FIX)]
    throw error
  }
}
