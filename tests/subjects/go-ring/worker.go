package ring

// Worker has a goroutine of its own, which a call of Do starts and which calls Do itself.
type Worker struct {
	tasks chan int
	done  chan int
}

// Hire makes a worker and lets it start.
func Hire() *Worker {
	w := &Worker{make(chan int), make(chan int)}
	w.Do(-1)
	return w
}

// Do does a task in parts, which are tasks too; a negative one is to start.
func (w *Worker) Do(task int) int {
	if task < 0 {
		go w.serve()
		return 0
	}
	if task == 0 {
		return 1
	}
	return w.part(task-1) + 1
}

func (w *Worker) part(task int) int { return w.Do(task) }

func (w *Worker) serve() {
	for task := range w.tasks {
		w.done <- w.Do(task)
	}
}

// Ask has the worker do a task.
func (w *Worker) Ask(task int) int {
	w.tasks <- task
	return <-w.done
}

// Dismiss ends the worker.
func (w *Worker) Dismiss() { close(w.tasks) }
