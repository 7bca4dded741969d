/* batch_schedule.h - the options `schedule`, `parents` and `pending`: how a GPU orders POTRF of a batch. */
#ifndef TRIGON_BATCH_SCHEDULE_H
#define TRIGON_BATCH_SCHEDULE_H

/* SSDE and DSSE launch a kernel for each panel from the host (common/panel_schedule.h). With SCHEDULE_DEVICE a kernel
 * launches the panels. */
typedef enum schedule_policy { SCHEDULE_AUTO, SCHEDULE_SSDE, SCHEDULE_DSSE, SCHEDULE_DEVICE } schedule_policy;

typedef struct batch_schedule {
  schedule_policy policy;
  int parents; /* SCHEDULE_DEVICE: threads that launch, each for many matrices; 0: a thread for each matrix */
  int pending; /* SCHEDULE_DEVICE: the device's limit of pending launches, set at creation; 0: stays as it is */
} batch_schedule;

#endif
