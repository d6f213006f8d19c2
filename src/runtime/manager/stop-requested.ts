/** Why the signals of tasks are aborted in an orderly stop. */
export class StopRequested extends Error {
  override readonly name = 'StopRequested';

  constructor() {
    super('the manager stops');
  }
}
