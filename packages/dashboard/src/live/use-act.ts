/** Something that a button does: at most once at a time, and with words for what went wrong. */
import { useContext, useState } from 'preact/hooks'
import { ApiProblem, ServiceAway } from '../api/api-failure.ts'
import { Service } from './service.ts'

const UNKNOWN_END = 'It may or may not have been done.'

export function useAct() {
  const { pulse } = useContext(Service)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)

  /** The answer; null if it failed, which `problem` then explains. */
  async function act<T>(run: () => Promise<T>): Promise<T | null> {
    if (isBusy) return null
    setBusy(true)
    setProblem(null)
    try {
      return await run()
    } catch (error) {
      if (error instanceof ServiceAway) setProblem(`${error.message} ${UNKNOWN_END}`)
      else if (error instanceof ApiProblem) setProblem(describeProblem(error.problem))
      else throw error
      return null
    } finally {
      setBusy(false)
      pulse.beatSoon()
    }
  }

  return { isBusy, problem, act, forget: () => setProblem(null) }
}

function describeProblem({ detail, issues }: ApiProblem['problem']): string {
  const said = issues?.map(({ field, message }) => `${field} ${message}`) ?? []
  return said.length === 0 ? detail : `${said.join('; ')}.`
}
