import type { Task } from '../../mcp/model/index.js';

/** Thrown where a call has become a task. It is no error: the caller gets the handle instead of a result. */
export class TaskBegun {
  readonly task: Task;
  constructor(task: Task) {
    this.task = task;
  }
}
