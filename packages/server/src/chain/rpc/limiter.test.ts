import { expect, test } from 'vitest'
import { createLimiter } from './limiter.ts'

function createTask() {
  let finish: (error?: Error) => void = () => {}
  const promise = new Promise<void>((resolve, reject) => {
    finish = (error) => (error === undefined ? resolve() : reject(error))
  })
  return { promise, finish }
}

test('so many run at a time, the rest in order, and a failure frees its place', async () => {
  const limiter = createLimiter(2)
  const started: number[] = []
  const tasks = [0, 1, 2, 3].map(createTask)
  const runs = tasks.map((task, index) =>
    limiter.run(() => {
      started.push(index)
      return task.promise
    }),
  )
  expect(started).toEqual([0, 1])
  tasks[1]?.finish(new Error('broken'))
  await expect(runs[1]).rejects.toThrow('broken')
  expect(started).toEqual([0, 1, 2])
  tasks[0]?.finish()
  await runs[0]
  expect(started).toEqual([0, 1, 2, 3])
  tasks[2]?.finish()
  tasks[3]?.finish()
  await Promise.all([runs[2], runs[3]])
})
