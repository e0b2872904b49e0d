/** Reverts a change. Further calls have no effect. */
export type Undo = () => void;
