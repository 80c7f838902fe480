/** For operations that cover all signers: a key limited to some signers may not use them. */
import { type Caller, reachesAll } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'

export async function refuseOrRun<T>(caller: Caller, what: string, run: () => Promise<T>): Promise<T> {
  if (reachesAll(caller)) return run()
  throw new AppError('forbidden', `${what} covers all signers, but your API key is limited to some signers or chains.`)
}
